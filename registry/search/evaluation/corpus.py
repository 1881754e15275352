"""A catalogue in memory that ranks as the one in SQL does: the same texts, terms, vectors and formula."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from registry.search import ranking, texts, tokens, vectors
from registry.search.embedders import Embedder, Matrix
from registry.search.language import detect
from registry.search.means import build
from registry.search.texts import SearchableText

_DEPTH = 100
"""How many tools of a ranking are looked at."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best tools for a request, best first, and their scores."""

    ids: list[str]
    scores: list[float]


class WordIndex:
    """BM25 over postings in memory; `registry.search.words` is the same in SQL."""

    def __init__(self, tools: Sequence[SearchableText]) -> None:
        counts = [texts.lexical_counts(tool) for tool in tools]
        lengths = [count.total() for count in counts]
        average = sum(lengths) / max(len(lengths), 1)
        frequencies = Counter(term for count in counts for term in count)
        weighted: dict[str, list[tuple[int, float]]] = {term: [] for term in frequencies}
        for row, count in enumerate(counts):
            for term, tf in count.items():
                weight = ranking.bm25_term_weight(
                    tf=tf,
                    doc_length=lengths[row],
                    avg_length=average,
                    df=frequencies[term],
                    n=len(counts),
                )
                weighted[term].append((row, weight))
        self._size = len(counts)
        self._postings = {term: _columns(pairs) for term, pairs in weighted.items()}

    def scores(self, request: str) -> NDArray[np.float64]:
        """Return the BM25 of every tool, shape (n,)."""
        found = np.zeros(self._size)
        for term in tokens.query_terms(request):
            rows, weights = self._postings.get(term, _NOTHING)
            found[rows] += weights
        return found


def _columns(pairs: Sequence[tuple[int, float]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    rows, weights = zip(*pairs, strict=True)
    return np.array(rows, dtype=np.int64), np.array(weights)


_NOTHING = (np.empty(0, dtype=np.int64), np.empty(0))


class Corpus:
    """Tools that are searched by words and, with embedders, by meaning: the main one, the English one."""

    def __init__(self, tools: Mapping[str, SearchableText], embedders: Sequence[Embedder]) -> None:
        self._ids = np.array(list(tools), dtype=object)
        self._words = WordIndex(list(tools.values()))
        self._embedders = embedders
        self._means = [build.means_of(one) for one in embedders]
        self._vectors = [
            vectors.embed_tools(one, list(tools.values()), its_means)
            for one, its_means in zip(embedders, self._means, strict=True)
        ]

    def rank(self, requests: Sequence[str]) -> list[Ranked]:
        """Return the best tools for each request."""
        near = self._similarities(requests)
        return [self._ranked(request, near[row]) for row, request in enumerate(requests)]

    def _similarities(self, requests: Sequence[str]) -> Matrix:
        if not self._embedders:
            return np.zeros((len(requests), len(self._ids)), dtype=np.float32)
        near, *english = [
            vectors.embed_requests(one, requests, its_means) @ known.T
            for one, its_means, known in zip(self._embedders, self._means, self._vectors, strict=True)
        ]
        if english:
            rows = [row for row, request in enumerate(requests) if detect(request) == "en"]
            both = near[rows] + ranking.ENGLISH_WEIGHT * english[0][rows]
            near[rows] = both / (1 + ranking.ENGLISH_WEIGHT)
        result: Matrix = near
        return result

    def _ranked(self, request: str, near: Matrix) -> Ranked:
        bm25 = self._words.scores(request)
        scores = near + ranking.WORDS_WEIGHT * bm25 / (bm25 + ranking.BM25_SATURATION)
        best = np.argsort(-scores, kind="stable")[:_DEPTH]
        return Ranked(list(self._ids[best]), [float(score) for score in scores[best]])
