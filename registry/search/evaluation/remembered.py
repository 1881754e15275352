"""An embedder that remembers on disk what it embedded: evaluations repeat the same texts."""

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from registry.search.embedders import Embedder, Matrix
from registry.search.embedders.base import normalise

_MOST_AT_ONCE = 64


class Remembered:
    """Asks another embedder once for each text, in batches that a crash does not lose. float16 on disk."""

    def __init__(self, inner: Embedder, path: Path, *, say: Callable[[int, int], None] | None = None) -> None:
        self._inner = inner
        self._say = say or (lambda _done, _all: None)
        self._store = sqlite3.connect(path)
        self._store.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, "document", self._inner.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, "query", self._inner.embed_queries)

    def _embed(self, texts: Sequence[str], side: str, ask: Callable[[Sequence[str]], Matrix]) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        keys = [self._key(text, side) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if self._read(key) is None}
        self._make(missing, ask)
        rows = [self._read(key) for key in keys]
        return normalise(np.stack([np.frombuffer(row or b"", np.float16) for row in rows]).astype(np.float32))

    def _make(self, missing: dict[bytes, str], ask: Callable[[Sequence[str]], Matrix]) -> None:
        pairs = sorted(missing.items(), key=lambda pair: len(pair[1]))
        for start in range(0, len(pairs), _MOST_AT_ONCE):
            batch = pairs[start : start + _MOST_AT_ONCE]
            vectors = ask([text for _, text in batch]).astype(np.float16)
            rows = [(key, vector.tobytes()) for (key, _), vector in zip(batch, vectors, strict=True)]
            with self._store:
                self._store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            self._say(min(start + _MOST_AT_ONCE, len(pairs)), len(pairs))

    def _key(self, text: str, side: str) -> bytes:
        return hashlib.sha256(f"{self.model_id}\0{side}\0{text}".encode("utf-8", "replace")).digest()

    def _read(self, key: bytes) -> bytes | None:
        row = self._store.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])
