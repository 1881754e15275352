"""Measure one data set with one embedder: overall, and by language."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from registry.search.embedders import Embedder
from registry.search.evaluation import metrics
from registry.search.evaluation.corpus import Corpus, Ranked
from registry.search.evaluation.datasets import DataSet, Request
from registry.search.evaluation.metrics import Interval

_FEWEST = 20
"""A language with fewer requests gets no row of its own: its interval would hold everything."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """The measures of some requests of a data set; `language` is "" for all of them."""

    data_set: str
    language: str
    tools: int
    requests: int
    measures: tuple[Interval, ...]

    @property
    def name(self) -> str:
        """What the row is called in tables and baselines."""
        return f"{self.data_set} {self.language}".rstrip()

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON: `{requests, tools, "nDCG@10": {mean, low, high}, …}`, in per cent."""
        pairs = zip(metrics.NAMES, self.measures, strict=True)
        intervals = {name: {"mean": one.mean, "low": one.low, "high": one.high} for name, one in pairs}
        return {"tools": self.tools, "requests": self.requests, **intervals}


def measure(data_set: DataSet, embedders: Sequence[Embedder]) -> list[Measurement]:
    """Return the measures of a data set, all requests first; those that fit nothing are left out."""
    answered = [request for request in data_set.requests if request.gains]
    ranked = Corpus(data_set.tools, embedders).rank([request.text for request in answered])
    return of_rankings(data_set.name, len(data_set.tools), answered, ranked)


def of_rankings(
    name: str, tools: int, requests: Sequence[Request], ranked: Sequence[Ranked]
) -> list[Measurement]:
    """Return the measures of rankings, however they were made."""
    pairs = zip(requests, ranked, strict=True)
    values = np.array([metrics.of_ranking(found.ids, request.gains) for request, found in pairs])
    languages = [request.language for request in requests]
    rows = [Measurement(name, "", tools, len(requests), metrics.summarised(values))]
    counted = [(language, languages.count(language)) for language in sorted(set(languages))]
    for language, count in counted:
        if _FEWEST <= count < len(requests):
            chosen = values[[known == language for known in languages]]
            rows.append(Measurement(name, language, tools, count, metrics.summarised(chosen)))
    return rows
