"""Find by meaning: cosine similarity in one embedding space, inside whatever the caller may see."""

import logging
from collections.abc import Sequence
from functools import lru_cache

from pgvector.django import CosineDistance

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.models.lookups import IdArray
from registry.search import ann, vectors
from registry.search.embedders import Embedder, Matrix
from registry.search.errors import EmbedderUnavailable
from registry.search.means import Means
from registry.search.shown import Shown

logger = logging.getLogger(__name__)


def space_id(embedder: Embedder) -> str:
    """Return the name of the space that an embedder's vectors lie in.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    return f"{embedder.model_id}/{vectors.recipe(embedder.model_id)}"


def query_vector(query: str, embedder: Embedder, means: Means) -> Matrix | None:
    """Return the query's vector, None when the model cannot be had: search fails open to words."""
    try:
        return _embedded(query, embedder, means)
    except EmbedderUnavailable:
        logger.warning("no query embedding: search goes by words alone", exc_info=True)
        return None


@lru_cache(maxsize=2048)
def _embedded(query: str, embedder: Embedder, means: Means) -> Matrix:
    vector: Matrix = vectors.embed_requests(embedder, [query], means)[0]
    return vector


def nearest(vector: Matrix, *, space: EmbeddingSpace, shown: Shown, limit: int) -> dict[int, float]:
    """Return the similarity of the nearest texts: exact, but for many in a large space."""
    if len(shown) > ann.WORTH_IT and ann.is_ready(space):
        approximate = ann.nearest(vector, space=space, shown=shown, limit=limit)
        if approximate is not None:
            return approximate
    return exactly_nearest(vector, space=space, shown=shown, limit=limit)


def exactly_nearest(vector: Matrix, *, space: EmbeddingSpace, shown: Shown, limit: int) -> dict[int, float]:
    """Return the same by a scan of all that is shown."""
    distance = CosineDistance("vector", vector)
    near = ToolEmbedding.objects.filter(space=space, text__any_of=shown.texts)
    found = near.order_by(distance, "text_id").values_list("text_id", distance)
    return {key: 1 - away for key, away in found[:limit]}


def similarities(vector: Matrix, texts: Sequence[int], *, space: EmbeddingSpace) -> dict[int, float]:
    """Return the similarity of these texts; those without a vector are missing."""
    rows = ToolEmbedding.objects.filter(space=space, text__any_of=IdArray.of(texts))
    found = rows.values_list("text_id", CosineDistance("vector", vector))
    return {key: 1 - away for key, away in found}
