"""The mean vectors that centring subtracts: shipped for the default model, made once for any other.

Vectors of e5 models sit in a narrow cone (cosines of 0.75 to 0.9) with a strong language axis: a Chinese
request is nearest to whatever is described in Chinese. Subtracting the mean of each language and side
(queries, documents) removes the cone and the axis; Recall@1 of Chinese requests doubled (SEARCH.md §0).
Means are made from texts that have nothing to do with the catalogue (`background/`), so that they never move:
docs/adr/0012 says why they are not running means of what is registered and asked.
"""

import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, Self

import numpy as np

from registry.search.embedders.base import Matrix

Side = Literal["query", "document"]

FOLDER = Path(__file__).parent
BACKGROUND = FOLDER / "background"


@dataclass(frozen=True, eq=False)
class Means:
    """Mean vectors by language and side; without any, centring is the identity."""

    vectors: Mapping[tuple[str, Side], Matrix] = field(default_factory=dict)

    @classmethod
    def read(cls, content: bytes) -> Self:
        """Read the content of an npz file with the arrays `en_query`, `en_document`, …, shape (d,)."""
        found: dict[tuple[str, Side], Matrix] = {}
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            for name in arrays.files:
                language, _, side = name.partition("_")
                found[language, "query" if side == "query" else "document"] = arrays[name].astype(np.float32)
        return cls(found)

    def of(self, language: str, side: Side) -> Matrix | None:
        """Return the mean to subtract, shape (d,): for an unknown language the mean of all means."""
        if (language, side) in self.vectors:
            return self.vectors[language, side]
        known = [mean for (_, other), mean in self.vectors.items() if other == side]
        return np.stack(known).mean(axis=0) if known else None


NONE = Means()


@lru_cache(maxsize=16)
def of(model_id: str, made: bytes | None) -> Means:
    """Return the means of a model: shipped ones, else those made for it (`build.make`), else none."""
    content = _shipped(model_id) or made
    return Means.read(content) if content else NONE


def are_shipped(model_id: str) -> bool:
    """Tell whether means of exactly this model came with the platform."""
    return _shipped(model_id) is not None


def version(model_id: str) -> str:
    """Name the content of a model's means: vectors that were centred with other ones must not be compared."""
    content = _shipped(model_id)
    return _digest(content) if content else f"background-{_background_version()}"


@lru_cache(maxsize=16)
def _shipped(model_id: str) -> bytes | None:
    path = path_of(model_id)
    return path.read_bytes() if path.exists() else None


def path_of(model_id: str) -> Path:
    """Return where shipped means of a model are."""
    return FOLDER / (re.sub(r"[^\w.-]", "_", model_id) + ".npz")


@cache
def _background_version() -> str:
    return _digest(b"".join(path.read_bytes() for path in sorted(BACKGROUND.glob("*.jsonl"))))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]
