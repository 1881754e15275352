"""An embedder in memory: texts that share words are similar. Counts its calls."""

import hashlib

import numpy as np

from registry.search.embedders.base import as_unit_rows


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
