"""Search in a large registry: the nearest by meaning, the best by words, and both as a request has them.

Vectors and words are synthetic (`bench.texts`), every text is another one, and no model is asked: `bench web`
does that. "All" is every registration, as if each were its own tool; a request looks at one version a tool.
"""

from collections.abc import Callable, Iterator
from itertools import cycle
from typing import TypeVar

from bench import data, texts
from bench.measure import Variant
from registry.models import EmbeddingSpace, ToolRegistration
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
_MOST = 200_000
"""Above so many registrations nobody looks at all of them, and no index is built here: that takes long."""
_recalls: list[float] = []


class Synthetic:
    """Stands in for a model: gives the vectors of `texts.vectors_near` in turn."""

    model_id = "synthetic"
    dimensions = texts.DIMENSIONS

    def __init__(self, vectors: list[Matrix]) -> None:
        self._next = cycle(vectors)

    def embed_documents(self, _: object) -> Matrix:
        raise NotImplementedError

    def embed_queries(self, _: object) -> Matrix:
        return next(self._next)[None]


def variants() -> list[Variant]:
    """Return what looks at one version a tool, and at all where they are not too many."""
    texts.add_words()
    space = EmbeddingSpace.objects.create(space_id="synthetic", backend="none", created_at=data.NOW)
    texts.add_vectors(space)
    visible = catalogue.available(Filters(), principal=data.principal(), cutoff=data.CUTOFF)
    shown = Shown.of_tools(visible, holds_most=True)
    found = [
        Variant("one version a tool, looked up", lambda: Shown.of_tools(visible, holds_most=True)),
        *_whole("one version a tool", shown, visible, space),
    ]
    if ToolRegistration.objects.count() > _MOST:
        return found
    everything = Shown.of(ToolRegistration.objects.values_list("pk", "search_text"))
    return [*found, *_whole("all", everything, visible, space), *_nearest(everything, space)]


def _whole(
    name: str, shown: Shown, visible: ToolRegistrationQuerySet, space: EmbeddingSpace
) -> list[Variant]:
    """Return a search as a request has it, and its words alone."""
    spaces = [Space(space, Synthetic(texts.vectors_near(space, 200)))]
    next_request = _each(texts.requests(200))
    return [
        Variant(
            f"{name}: words",
            lambda: words.matches(tokens.query_terms(next_request()), shown=shown, limit=_LIMIT),
        ),
        Variant(
            f"{name}: words and meaning",
            lambda: finding.find(next_request(), visible=visible, spaces=spaces, top_k=10, shown=shown),
        ),
    ]


def _nearest(shown: Shown, space: EmbeddingSpace) -> list[Variant]:
    """Return scans of everything and of what a filter leaves beside the index."""
    vectors = texts.vectors_near(space, 200)
    next_vector = _each(vectors)
    few = Shown.of(ToolRegistration.objects.values_list("pk", "search_text")[:: max(1, len(shown) // 200)])
    ann.WORTH_IT = min(ann.WORTH_IT, len(shown) - 1)
    ann.maintain(space, dimensions=texts.DIMENSIONS)
    _recalls.extend(_recall(vector, space, shown) for vector in vectors[:50])

    def nearest(of: Shown) -> dict[int, float]:
        return meaning.nearest(next_vector(), space=space, shown=of, limit=_LIMIT)

    yardstick = Variant(
        "all: meaning, exact",
        lambda: meaning.exactly_nearest(next_vector(), space=space, shown=shown, limit=_LIMIT),
    )
    return [
        yardstick,
        Variant("all: meaning, by the index", lambda: nearest(shown), against=yardstick.name),
        Variant("200 that a filter leaves: meaning", lambda: nearest(few), against=yardstick.name),
    ]


def _each(values: list[T]) -> Callable[[], T]:
    turn: Iterator[T] = cycle(values)
    return lambda: next(turn)


def facts() -> dict[str, float]:
    """Return how much of the exact answer the index found."""
    return {"index: recall of the nearest 100": sum(_recalls) / len(_recalls)} if _recalls else {}


def _recall(query: Matrix, space: EmbeddingSpace, shown: Shown) -> float:
    exact = meaning.exactly_nearest(query, space=space, shown=shown, limit=_LIMIT)
    found = ann.nearest(query, space=space, shown=shown, limit=_LIMIT) or {}
    return len(exact.keys() & found.keys()) / len(exact)
