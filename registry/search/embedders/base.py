"""What search asks of an embedding model."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from registry.search.errors import EmbedderUnavailable

Matrix = NDArray[np.float32]

MAX_NAME_CHARACTERS = 120


class Embedder(Protocol):
    """A model that turns texts into unit vectors whose dot product is their similarity.

    Every method and property may load the model or ask a service, and raises EmbedderUnavailable when
    that fails. Callers fail open: search goes by words until vectors can be had again.
    """

    @property
    def model_id(self) -> str:
        """Name the vectors are stored under; vectors of different ids are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of texts that are searched, shape (n, dimensions), unit length."""

    def embed_queries(self, texts: Sequence[str]) -> Matrix:
        """Return the vectors of requests, shape (n, dimensions), unit length."""

    def __hash__(self) -> int:
        """Embedders are keys of caches, by identity."""


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of a backend; those it has no use for are ignored.

    Prefixes are put before each text as they are, space included: e5 models want "query: " and
    "passage: " (arXiv:2212.03533).
    """

    base_url: str = ""
    api_key: str = field(default="", repr=False)
    query_prefix: str = ""
    document_prefix: str = ""
    timeout_seconds: float = 10.0


def named(model: str, prefixes: tuple[str, str]) -> str:
    """Return a name for model and prefixes, at most 120 characters: it becomes a database key."""
    if not any(prefixes) and len(model) <= MAX_NAME_CHARACTERS:
        return model
    digest = hashlib.sha256(repr((model, prefixes)).encode()).hexdigest()[:8]
    # The end of a long path tells more than its beginning.
    return f"{model[-(MAX_NAME_CHARACTERS - 9) :]}#{digest}"


def as_unit_rows(vectors: object, *, rows: int) -> Matrix:
    """Return what a model answered as a float32 matrix of unit rows.

    Raises:
        EmbedderUnavailable: the answer is no finite matrix of that many rows.
    """
    try:
        matrix: Matrix = np.asarray(vectors, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EmbedderUnavailable("The model answered with something that is no vector.") from error
    if matrix.ndim != 2 or len(matrix) != rows or not np.isfinite(matrix).all():
        raise EmbedderUnavailable(
            f"The model answered with shape {matrix.shape} for {rows} texts, or not finite."
        )
    return normalise(matrix)


def normalise(vectors: Matrix) -> Matrix:
    """Return the rows (last axis) at unit length; a zero row stays zero."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    rows: Matrix = (vectors / lengths).astype(np.float32)
    return rows
