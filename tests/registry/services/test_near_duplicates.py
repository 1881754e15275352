"""Tools that are nearly the same: the best stands for the others, which are listed below it."""

import pytest

from registry.models import EmbeddingSpace, ToolEmbedding, ToolRegistration
from registry.search import duplicates, finding
from registry.search.finding import Space
from registry.services import catalogue
from registry.services.catalogue import Filters
from tests.factories import EVERYTHING, NOW, cutoff, make_principal, make_registration
from tests.registry.search.fakes import Fixed

pytestmark = pytest.mark.django_db


@pytest.fixture
def space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(space_id="fake", backend="fake", is_current=True, created_at=NOW)


def at(row: ToolRegistration, space: EmbeddingSpace, vector: list[float]) -> ToolRegistration:
    ToolEmbedding.objects.create(
        text=row.search_text, space=space, vector=vector, content_hash="x", created_at=NOW
    )
    return row


def search(query: str = "email", *, principal=EVERYTHING, spaces=(), top_k: int = 10):
    visible = catalogue.available(Filters(), principal=principal, cutoff=cutoff())
    return finding.find(query, visible=visible, spaces=spaces, top_k=top_k).results


def test_the_same_tool_of_two_providers_is_one_result():
    for provider in ("mail-team", "post", "zeppelin"):
        make_registration(provider=provider)

    [found] = search()

    assert found.registration.tool_id == "mail-team:send_email:1.0.0"
    assert found.near_duplicates == ("post:send_email:1.0.0", "zeppelin:send_email:1.0.0")


def test_other_versions_are_listed_the_newest_first():
    for version in ("1.0.0", "1.2.0", "1.10.0"):
        make_registration(version=version)

    [found] = search()

    assert found.registration.version == "1.10.0"
    assert found.near_duplicates == ("mail-team:send_email:1.2.0", "mail-team:send_email:1.0.0")


def test_no_more_than_ten_are_listed():
    for number in range(14):
        make_registration(version=f"1.{number}.0")

    [found] = search()

    assert len(found.near_duplicates) == duplicates.MOST_LISTED == 10


def test_what_may_not_be_seen_is_not_listed():
    make_registration()
    make_registration(provider="post", scopes=["vault:use"])
    make_registration(version="0.9.0", scopes=["vault:use"])

    [found] = search(principal=make_principal())

    assert found.near_duplicates == ()


def test_a_result_that_stands_for_others_leaves_room_for_further_tools():
    for provider in ("mail-team", "post"):
        make_registration(provider=provider)
    make_registration(name="read_email", description="Read an email.")

    assert len(search(top_k=2)) == 2


@pytest.mark.parametrize(
    ("name", "cosine", "is_same"),
    [
        ("send_email", 0.86, True),
        ("sendEmail", 0.86, True),
        ("send_email", 0.84, False),
        ("post_email", 0.98, True),
        ("post_email", 0.96, False),
    ],
)
def test_a_like_name_needs_less_likeness_of_meaning(space, name, cosine, is_same):
    one = at(make_registration(), space, [1.0, 0.0])
    rest = (1 - cosine**2) ** 0.5
    other = make_registration(provider="post", name=name, description="Send an email by post.")
    at(other, space, [cosine, rest])

    groups = duplicates.collapse([one.pk, other.pk], space=space, most=10)

    assert len(groups) == (1 if is_same else 2)
    assert groups[0].leader.key == one.pk


def test_one_name_for_two_things_is_two_results(space):
    at(make_registration(), space, [1.0, 0.0])
    at(make_registration(provider="news", description="Order a newsletter email."), space, [0.5, 0.8])

    assert len(search(spaces=[Space(space, Fixed())])) == 2
