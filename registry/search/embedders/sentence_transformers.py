"""Any model that sentence-transformers can load, by Hugging Face name or by path."""

import importlib
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from registry.search.embedders.base import Matrix, Options, as_unit_rows, named
from registry.search.errors import EmbedderUnavailable

BATCH_SIZE = 64


class SentenceTransformers:
    """A model by name or path, loaded at the first call.

    The id names model and prefixes: vectors made with other prefixes are other vectors. A path whose
    files are replaced keeps its id; give a new model a new path.
    """

    def __init__(self, model: str, options: Options) -> None:
        self._name = model
        self._prefixes = (options.query_prefix, options.document_prefix)
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def model_id(self) -> str:
        return f"sentence_transformers:{named(self._name, self._prefixes)}"

    @cached_property
    def dimensions(self) -> int:
        return int(self.embed_queries(["dimensions"]).shape[1])

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, self._prefixes[1])

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        return self._embed(texts, self._prefixes[0])

    def _embed(self, texts: Sequence[str], prefix: str) -> Matrix:
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        # One call at a time: two first calls would load twice, and a fast tokenizer that two threads
        # use raises "Already borrowed".
        with self._lock:
            if self._model is None:
                self._model = _load(self._name)
            try:
                vectors = self._model.encode(
                    [prefix + text for text in texts], batch_size=BATCH_SIZE, show_progress_bar=False
                )
            except RuntimeError as error:  # out of memory, a device that is gone
                raise EmbedderUnavailable(f"The model {self._name!r} failed: {error}") from error
        return as_unit_rows(vectors, rows=len(texts))


def _load(name: str) -> Any:
    try:
        # torch and transformers: 900 MB, 7 s and 700 MB of memory, only for those who chose this backend.
        return importlib.import_module("sentence_transformers").SentenceTransformer(name)
    # Which of these it is depends on the file that is missing or broken; OSError covers the network.
    except (ImportError, OSError, ValueError, RuntimeError) as error:
        raise EmbedderUnavailable(f"sentence-transformers cannot load {name!r}: {error}") from error
