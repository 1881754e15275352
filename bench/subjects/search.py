"""Search: the nearest by meaning, the best by words, and both as a request has them, of one version a tool.

Vectors and words are synthetic (`bench.texts`), and no model is asked: `bench find` does that. With
`--versions 1` every registration is a tool of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import TypeVar

from bench import data, texts
from bench.measure import Variant
from registry.models import EmbeddingSpace
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import ann, finding, meaning, tokens, words
from registry.search.embedders import Matrix
from registry.search.finding import Space
from registry.search.shown import Shown
from registry.services import catalogue
from registry.services.catalogue import Filters

UNIT = "search"

T = TypeVar("T")

_LIMIT = finding.CANDIDATES
_recalls: list[float] = []


class Synthetic:
    """Stands in for a model: gives the vectors of `texts.vectors_near` in turn."""

    model_id = "synthetic"
    dimensions = texts.DIMENSIONS

    def __init__(self, vectors: Sequence[Matrix]) -> None:
        self._next = cycle(vectors)

    def embed_documents(self, _: object) -> Matrix:
        raise NotImplementedError  # documents have their vectors already: to embed one here is a mistake

    def embed_queries(self, _: object) -> Matrix:
        return next(self._next)[None]


def variants() -> list[Variant]:
    """Return the parts of a search and the whole; scans of everything and of what a filter leaves."""
    texts.add_words()
    space = EmbeddingSpace.objects.create(space_id="synthetic", backend="none", created_at=data.NOW)
    texts.add_vectors(space)
    visible = catalogue.available(Filters(), principal=data.principal(), cutoff=data.CUTOFF)
    pairs = visible.ids_of_one_per_tool()
    shown, few = Shown.of(pairs), Shown.of(pairs[:: max(1, len(pairs) // 200)])
    ann.maintain(space, dimensions=texts.DIMENSIONS)
    vectors = texts.vectors_near(space, 200)
    if ann.is_ready(space):
        _recalls.extend(_recall(vector, space, shown) for vector in vectors[:50])
    return [
        Variant("what is shown, looked up", lambda: Shown.of_tools(visible, holds_most=True)),
        *_whole(shown, visible, Space(space, Synthetic(vectors))),
        *_nearest(shown, few, space, _each(vectors)),
    ]


def _whole(shown: Shown, visible: ToolRegistrationQuerySet, space: Space) -> list[Variant]:
    """Return the words of a search, and all of it."""
    next_request = _each(texts.requests(200))
    return [
        Variant(
            "words", lambda: words.matches(tokens.query_terms(next_request()), shown=shown, limit=_LIMIT)
        ),
        Variant(
            "words and meaning",
            lambda: finding.find(next_request(), visible=visible, spaces=[space], top_k=10, shown=shown),
        ),
    ]


def _nearest(
    shown: Shown, few: Shown, space: EmbeddingSpace, next_vector: Callable[[], Matrix]
) -> list[Variant]:

    def exactly(of: Shown) -> dict[int, float]:
        return meaning.exactly_nearest(next_vector(), space=space, shown=of, limit=_LIMIT)

    def nearest(of: Shown) -> dict[int, float]:
        return meaning.Asked(next_vector(), space=space, shown=of).nearest(_LIMIT)

    yardstick = Variant("meaning, exactly in the database", lambda: exactly(shown))
    return [
        yardstick,
        Variant("meaning, in memory or by the index", lambda: nearest(shown), against=yardstick.name),
        Variant("meaning, 200 that a filter leaves", lambda: nearest(few), against=yardstick.name),
    ]


def _each(values: Sequence[T]) -> Callable[[], T]:
    turn: Iterator[T] = cycle(values)
    return lambda: next(turn)


def facts() -> dict[str, float]:
    """Return how much of the exact answer the index found."""
    return {"index: recall of the nearest 100": sum(_recalls) / len(_recalls)} if _recalls else {}


def _recall(query: Matrix, space: EmbeddingSpace, shown: Shown) -> float:
    exact = meaning.exactly_nearest(query, space=space, shown=shown, limit=_LIMIT)
    found = ann.nearest(query, space=space, shown=shown, limit=_LIMIT) or exact
    return len(exact.keys() & found.keys()) / len(exact)
