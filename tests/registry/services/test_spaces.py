"""Which embedding space search uses, and how another takes its place."""

import pytest

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.search import embedders
from registry.search.finding import Space
from registry.services import indexing, spaces
from registry.services.spaces import Wanted
from tests.factories import at, make_registration
from tests.racing import at_once
from tests.registry.embedding import wanted

pytestmark = pytest.mark.django_db


def _target(model: str = "model-a") -> Space:
    space = spaces.target(wanted(model), now=at(0))
    assert space is not None
    return space


def _used(model: str = "model-a") -> str | None:
    space = spaces.in_use(wanted(model))
    return None if space is None else space.embedder.model_id


def _complete(space: Space) -> bool:
    texts = list(indexing.waiting(space.row))
    indexing.embed(texts, space=space, now=at(0))
    return spaces.swap_when_complete(space)


def test_without_a_backend_search_goes_by_words():
    none = Wanted("none")

    assert (spaces.in_use(none), spaces.target(none, now=at(0))) == (None, None)


def test_before_the_first_vector_search_goes_by_words(backend):
    assert _used() is None


def test_the_first_space_of_all_is_used_at_once(backend):
    make_registration()

    _target()

    assert _used() == "model-a"


def test_another_model_is_built_beside_the_one_in_use(backend):
    make_registration()
    _complete(_target())

    _target("model-b")

    assert (_used("model-b"), EmbeddingSpace.objects.count()) == ("model-a", 2)


def test_an_incomplete_space_is_not_swapped_in(backend):
    make_registration()
    _complete(_target())

    assert not spaces.swap_when_complete(_target("model-b"))
    assert _used("model-b") == "model-a"


def test_a_complete_space_takes_the_place_of_the_others(backend):
    make_registration()
    _complete(_target())

    is_swapped = _complete(_target("model-b"))

    assert (is_swapped, _used("model-b")) == (True, "model-b")
    assert [row.model for row in EmbeddingSpace.objects.all()] == ["model-b"]
    assert ToolEmbedding.objects.count() == 1


def test_a_space_is_swapped_in_once(backend):
    space = _target()

    assert not _complete(space)


def test_a_space_that_was_dropped_meanwhile_drops_nobody(backend):
    dropped = _target("model-b")
    EmbeddingSpace.objects.all().delete()
    _target("model-a")

    spaces.swap_to(dropped.row)

    assert [(row.model, row.is_current) for row in EmbeddingSpace.objects.all()] == [("model-a", True)]


def test_a_model_that_is_away_leaves_search_to_words(backend):
    _target()
    backend.broken.add("model-a")
    embedders.load.cache_clear()

    assert _used() is None


def test_a_space_of_other_means_gives_way_to_the_wanted_one(backend):
    _target()
    EmbeddingSpace.objects.update(space_id="model-a/older")

    before, made, after = _used(), _target(), spaces.in_use(wanted())

    assert before is None, "a search makes no space: that embeds some hundred texts"
    assert after.row == made.row
    assert EmbeddingSpace.objects.get(is_current=True).space_id == "model-a/older"


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_agree_on_the_first_space(backend):
    found = at_once(_target, _target)

    assert found[0].row.pk == found[1].row.pk
    assert EmbeddingSpace.objects.get().is_current


@pytest.mark.django_db(transaction=True)
def test_two_swaps_at_once_leave_one_space(backend):
    _target("model-a")
    both = [_target("model-b").row, _target("model-c").row]

    at_once(*[lambda row=row: spaces.swap_to(row) for row in both])

    assert EmbeddingSpace.objects.get().is_current
