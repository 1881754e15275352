"""An embedder in memory: texts that share words are similar. Counts its calls."""

import hashlib
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from registry.search.embedders.base import Matrix, as_unit_rows


class WordEmbedder:
    """Adds up one fixed random direction per word."""

    def __init__(self, model_id="words-1", dimensions=64):
        self.model_id = model_id
        self.dimensions = dimensions
        self.calls = []

    def embed_documents(self, texts):
        return self._embed("document", texts)

    def embed_queries(self, texts):
        return self._embed("query", texts)

    def _embed(self, side, texts):
        self.calls.append((side, list(texts)))
        rows = [
            sum((self._direction(word) for word in text.lower().split()), self._direction(""))
            for text in texts
        ]
        return as_unit_rows(np.array(rows).reshape(len(texts), self.dimensions), rows=len(texts))

    def _direction(self, word):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimensions)


class Fixed:
    """A model of two dimensions, to which every request is the same: (1, 0).

    Vectors of tools are stored by the tests themselves: who asks for one has left the path that is tested.
    """

    dimensions = 2
    asked: ClassVar[dict[str, list[str]]] = {}

    def __init__(self, model_id: str = "fixed") -> None:
        self.model_id = model_id

    @classmethod
    def note(cls, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
        """Return what is asked from now on, by model."""
        asked: dict[str, list[str]] = {}
        monkeypatch.setattr(cls, "asked", asked)
        return asked

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        raise NotImplementedError  # only requests are asked of it: a document that is embedded is a mistake

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        self.asked.setdefault(self.model_id, []).extend(texts)
        return np.tile(np.array([1.0, 0.0], dtype=np.float32), (len(texts), 1))
