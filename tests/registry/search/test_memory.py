"""Vectors that a process holds: what a scan in the database says, until they are made anew."""

import numpy as np
import pytest
from django.db.models import F

from registry.models import EmbeddingSpace, SearchText, ToolEmbedding
from registry.search import ann, meaning, memory
from registry.search.embedders.base import normalise
from registry.search.shown import Shown
from tests.factories import NOW

pytestmark = pytest.mark.django_db

DIMENSIONS = 16


@pytest.fixture
def space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(space_id="fake", backend="fake", is_current=True, created_at=NOW)


def _vectors(number: int, seed: int = 1) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((number, DIMENSIONS)).astype(np.float32)
    return normalise(rows)


def _add(space: EmbeddingSpace, number: int, seed: int = 1) -> list[int]:
    """Add texts with vectors; return their ids."""
    texts = SearchText.objects.bulk_create(
        SearchText(words_hash=f"{seed} {place}", length=1) for place in range(number)
    )
    ToolEmbedding.objects.bulk_create(
        ToolEmbedding(text=text, space=space, vector=vector, content_hash="x", created_at=NOW)
        for text, vector in zip(texts, _vectors(number, seed), strict=True)
    )
    return [text.pk for text in texts]


def _shown(texts: list[int]) -> Shown:
    return Shown.of(enumerate(texts))


def _nearest(space: EmbeddingSpace, shown: Shown, limit: int = 5) -> dict[int, float]:
    return meaning.Asked(_vectors(1, seed=9)[0], space=space, shown=shown).nearest(limit)


def test_memory_finds_what_the_database_finds(space):
    shown = _shown(_add(space, 200)[::2])

    held = _nearest(space, shown, 20)

    exact = meaning.exactly_nearest(_vectors(1, seed=9)[0], space=space, shown=shown, limit=20)
    assert list(held) == list(exact)
    assert list(held.values()) == pytest.approx(list(exact.values()), abs=2e-3)


def test_what_is_held_is_not_read_again(space, django_assert_num_queries):
    texts = _add(space, 20)
    _nearest(space, _shown(texts))

    with django_assert_num_queries(0):
        found = _nearest(space, _shown(texts[:10]))

    assert found.keys() <= set(texts[:10])


def test_texts_that_come_later_are_read_for_themselves(space, django_assert_num_queries):
    first = _add(space, 20)
    _nearest(space, _shown(first))
    second = _add(space, 20, seed=2)

    with django_assert_num_queries(1):
        found = _nearest(space, _shown(first + second), 40)

    assert found.keys() == {*first, *second}
    assert _nearest(space, _shown(second), 40).keys() == set(second)


def test_a_text_without_a_vector_is_missing_until_it_has_one(space):
    texts = _add(space, 3)
    waiting = SearchText.objects.create(words_hash="waits", length=1)
    asked = meaning.Asked(_vectors(1)[0], space=space, shown=_shown([*texts, waiting.pk]))
    assert asked.of([waiting.pk, texts[0]]).keys() == {texts[0]}

    ToolEmbedding.objects.create(
        text=waiting, space=space, vector=_vectors(1)[0], content_hash="x", created_at=NOW
    )

    asked = meaning.Asked(_vectors(1)[0], space=space, shown=_shown([*texts, waiting.pk]))
    assert asked.of([waiting.pk]) == {waiting.pk: pytest.approx(1, abs=1e-3)}


def test_vectors_made_anew_are_read_anew(space):
    texts = _add(space, 3)
    _nearest(space, _shown(texts))
    ToolEmbedding.objects.update(vector=_vectors(1, seed=9)[0])
    EmbeddingSpace.objects.update(revision=F("revision") + 1)
    space.refresh_from_db()

    assert list(_nearest(space, _shown(texts)).values()) == pytest.approx([1, 1, 1], abs=1e-3)


def test_what_takes_too_much_is_dropped_for_what_is_asked_now(space, monkeypatch):
    monkeypatch.setattr(memory, "MOST_BYTES", 30 * DIMENSIONS * 4)
    first, second = _add(space, 20), _add(space, 20, seed=2)
    _nearest(space, _shown(first))

    assert _nearest(space, _shown(second), 40).keys() == set(second)
    assert memory.memory.held(space).texts.tolist() == second


def test_more_than_memory_takes_is_asked_of_the_database(space, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(memory, "MOST_BYTES", 10 * DIMENSIONS * 4)
    texts = _add(space, 20)

    assert _nearest(space, _shown(texts), 20).keys() == set(texts)
    assert not len(memory.memory.held(space).texts)
    with django_assert_num_queries(
        2
    ):  # is there an index (asked once a minute)? the nearest; nothing is read in vain
        ann.ready.forget()
        _nearest(space, _shown(texts), 20)


def test_a_large_set_is_not_held(space, monkeypatch):
    monkeypatch.setattr(ann, "WORTH_IT", 10)
    texts = _add(space, 20)

    assert _nearest(space, _shown(texts), 20).keys() == set(texts)
    assert not len(memory.memory.held(space).texts)


def test_nothing_shown_finds_nothing(space):
    _add(space, 3)

    assert _nearest(space, _shown([])) == {}
