"""Rank tools by meaning and by words together.

    score = cosine + bm25 / (bm25 + 100)

Words are added as a damped absolute score. Rank fusion (RRF) and min-max scaling lose against vectors
alone, because a meaningless best word match then counts as much as the best meaning (SEARCH.md §0.3).
Nearly linear, about 0.01 a point: on five data sets that is 0.9 points of nDCG@10 better than a weight of 0.3
that saturates at 10, and flat from 0.8/80 to 1.2/120 (docs/benchmarks/search.md); do not tune it finer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

# Okapi BM25 (Robertson & Zaragoza 2009): how fast repetitions saturate, how much length counts.
BM25_K1 = 1.2
BM25_B = 0.75
WORDS_WEIGHT = 1.0
ENGLISH_WEIGHT = 0.5
# The BM25 score at which words count half of what they can; a good match of two rare words has about 10.
BM25_SATURATION = 100.0

# What names a tool; ties are broken by its order.
K = TypeVar("K", int, str)


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How well a tool matches by words: the sum of its BM25 term weights, and which words met."""

    bm25: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit(Generic[K]):
    """A ranked tool.

    `similarity` is the (centred) cosine, None for a tool without a vector or a search without a model.
    `words` are the words of the query that the tool has.
    """

    key: K
    score: float
    similarity: float | None
    bm25: float
    words: tuple[str, ...]

    @property
    def why(self) -> str:
        """Say what the score is made of: `meaning 0.61 + words 0.12 (send, mail)`."""
        meaning = "" if self.similarity is None else f"meaning {self.similarity:.2f}"
        words = f"words {from_words(self.bm25):.2f} ({', '.join(self.words)})" if self.words else ""
        return " + ".join(filter(None, (meaning, words)))


def bm25_term_weight(*, tf: int, doc_length: int, avg_length: float, df: int, n: int) -> float:
    """Return what one term adds to the BM25 score of a document, > 0; `words` does the same in SQL.

    Args:
        tf: occurrences of the term in the document.
        doc_length: number of terms of the document, repetitions included.
        avg_length: mean of doc_length over the n documents.
        df: number of documents with the term.
        n: number of documents.
    """
    # `or 1`: an empty corpus has no average yet.
    length = 1 - BM25_B + BM25_B * doc_length / (avg_length or 1)
    return idf(df=df, n=n) * tf * (BM25_K1 + 1) / (tf + BM25_K1 * length)


def idf(*, df: int, n: int) -> float:
    """Return how rare a term is: Lucene's formula, which stays positive for what most documents have."""
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def from_words(bm25: float) -> float:
    """Return what a BM25 score adds to the score, in [0, 1)."""
    return WORDS_WEIGHT * bm25 / (bm25 + BM25_SATURATION)


def score(similarity: float | None, bm25: float) -> float:
    """Return the score of a tool, in [-1, 2).

    No vector counts as a similarity of 0: for centred vectors that is what an arbitrary tool has, so a
    tool that waits for its vector is found by its words and neither favoured nor buried.
    """
    return (similarity or 0.0) + from_words(bm25)


def blend(main: Mapping[K, float], english: Mapping[K, float]) -> dict[K, float]:
    """Return the similarities of two spaces as one: a weighted mean where both say something.

    A model for English alone is the better judge of English requests and knows no other language: on five
    data sets half the weight of the main one brings 3 points of nDCG@10, and more brings nothing.
    """
    total = 1 + ENGLISH_WEIGHT
    both = {key: (main[key] + ENGLISH_WEIGHT * english[key]) / total for key in main.keys() & english.keys()}
    return {**english, **main, **both}


def fuse(
    similarities: Mapping[K, float], matches: Mapping[K, WordMatch], *, limit: int | None = None
) -> list[Hit[K]]:
    """Return the union of two candidate lists as hits, best first, equal scores by key.

    Args:
        similarities: cosine of every candidate that has a vector. A candidate of the other list that is
            missing here counts as one without a vector: look its cosine up before.
        matches: BM25 of every candidate that shares a term with the query.
        limit: how many hits to return; None is all.
    """
    none = WordMatch(0.0)
    hits = [_hit(key, similarities.get(key), matches.get(key, none)) for key in {**similarities, **matches}]
    return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]


def _hit(key: K, similarity: float | None, match: WordMatch) -> Hit[K]:
    return Hit(key, score(similarity, match.bm25), similarity, match.bm25, match.words)
