"""Measures of ranked retrieval (Manning et al., Introduction to Information Retrieval, chapter 8)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NAMES = ("nDCG@10", "Recall@1", "Recall@5", "Recall@10", "MRR")
_RESAMPLES = 1000
_DEPTH = 100
"""MRR looks no deeper."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean in per cent, and the interval that holds 95 % of the means of resampled requests (bootstrap)."""

    mean: float
    low: float
    high: float


def of_ranking(ranked: Sequence[str], gains: Mapping[str, float]) -> tuple[float, ...]:
    """Return the measures of one request, in [0, 1], in the order of `NAMES`; `gains` are not empty."""
    return (
        ndcg(ranked[:10], gains),
        *(len(gains.keys() & set(ranked[:depth])) / len(gains) for depth in (1, 5, 10)),
        reciprocal_rank(ranked[:_DEPTH], gains),
    )


def ndcg(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Return the discounted gain of a ranking as a share of the best one's; linear gains."""
    best = sorted(gains.values(), reverse=True)[: len(ranked) or 1]
    return _discounted([gains.get(key, 0.0) for key in ranked]) / _discounted(best[:10])


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def reciprocal_rank(ranked: Sequence[str], gains: Mapping[str, float]) -> float:
    """Return 1 / the place of the first tool that answers, 0 without one."""
    return next((1 / place for place, key in enumerate(ranked, 1) if key in gains), 0.0)


def summarised(values: NDArray[np.float64]) -> tuple[Interval, ...]:
    """Return mean and interval of each column; `values` has a row a request, shape (n, 5)."""
    picks = np.random.default_rng(7).integers(0, len(values), (_RESAMPLES, len(values)))
    means = np.stack([values[:, column][picks].mean(axis=1) for column in range(values.shape[1])])
    low, high = np.percentile(means, [2.5, 97.5], axis=1)
    rows = zip(values.mean(axis=0), low, high, strict=True)
    return tuple(Interval(*(100 * float(value) for value in row)) for row in rows)
