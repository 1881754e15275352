"""Find by meaning: cosine similarity in one embedding space, inside whatever the caller may see."""

import logging
from collections.abc import Sequence
from functools import lru_cache

from pgvector.django import CosineDistance

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.search import ann, vectors
from registry.search.embedders import Embedder, Matrix
from registry.search.errors import EmbedderUnavailable

logger = logging.getLogger(__name__)


def space_id(embedder: Embedder) -> str:
    """Return the name of the space that an embedder's vectors lie in.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    return f"{embedder.model_id}/{vectors.recipe(embedder.model_id)}"


def query_vector(query: str, embedder: Embedder) -> Matrix | None:
    """Return the query's vector, None when the model cannot be had: search fails open to words."""
    try:
        return _embedded(query, embedder)
    except EmbedderUnavailable:
        logger.warning("no query embedding: search goes by words alone", exc_info=True)
        return None


@lru_cache(maxsize=2048)
def _embedded(query: str, embedder: Embedder) -> Matrix:
    vector: Matrix = vectors.embed_requests(embedder, [query])[0]
    return vector


def nearest(vector: Matrix, *, space: EmbeddingSpace, shown: Sequence[int], limit: int) -> dict[int, float]:
    """Return the similarity of the nearest registrations, by id: exact, but for many in a large space."""
    if len(shown) > ann.WORTH_IT and ann.is_ready(space):
        approximate = ann.nearest(vector, space=space, shown=shown, limit=limit)
        if approximate is not None:
            return approximate
    return exactly_nearest(vector, space=space, shown=shown, limit=limit)


def exactly_nearest(
    vector: Matrix, *, space: EmbeddingSpace, shown: Sequence[int], limit: int
) -> dict[int, float]:
    """Return the same by a scan of all that is shown."""
    distance = CosineDistance("vector", vector)
    near = ToolEmbedding.objects.filter(space=space, registration__any_of=shown)
    found = near.order_by(distance, "registration_id").values_list("registration_id", distance)
    return {key: 1 - away for key, away in found[:limit]}


def similarities(vector: Matrix, ids: Sequence[int], *, space: EmbeddingSpace) -> dict[int, float]:
    """Return the similarity of these registrations; those without a vector are missing."""
    rows = ToolEmbedding.objects.filter(space=space, registration__in=ids)
    found = rows.values_list("registration_id", CosineDistance("vector", vector))
    return {key: 1 - away for key, away in found}
