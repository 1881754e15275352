"""Find by meaning: cosine similarity in one embedding space, inside whatever the caller may see.

Few texts are compared in memory, many by an index of the database, and exactly there where it finds too few.
"""

import logging
from collections.abc import Collection
from functools import lru_cache

import numpy as np
from pgvector.django import CosineDistance

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.models.lookups import IdArray
from registry.search import ann, vectors
from registry.search.embedders import Embedder, Matrix
from registry.search.errors import EmbedderUnavailable
from registry.search.means import Means
from registry.search.memory import memory
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


class Asked:
    """A request's vector, asked of what is shown in a space."""

    def __init__(self, vector: Matrix, *, space: EmbeddingSpace, shown: Shown) -> None:
        self._vector, self._space, self._shown = vector, space, shown
        is_small = len(shown) <= ann.WORTH_IT
        held = memory.hold(space, shown.texts) if is_small else None
        self._known = None if held is None else held.similarities(vector, shown.texts)

    def nearest(self, limit: int) -> dict[int, float]:
        """Return the similarity of the nearest texts: exact, but for many in a large space."""
        if self._known is not None:
            texts, cosines = self._known
            best = np.lexsort((texts, -cosines))[:limit]
            return dict(zip(texts[best].tolist(), cosines[best].tolist(), strict=True))
        if ann.is_ready(self._space):
            found = ann.nearest(self._vector, space=self._space, shown=self._shown, limit=limit)
            if found is not None:
                return found
        return exactly_nearest(self._vector, space=self._space, shown=self._shown, limit=limit)

    def of(self, wanted: Collection[int]) -> dict[int, float]:
        """Return the similarity of these of the texts; those without a vector are missing."""
        if self._known is None:
            return _similarities(self._vector, wanted, space=self._space)
        texts, cosines = self._known
        is_wanted = np.isin(texts, np.fromiter(wanted, dtype=np.int64, count=len(wanted)))
        return dict(zip(texts[is_wanted].tolist(), cosines[is_wanted].tolist(), strict=True))


def exactly_nearest(vector: Matrix, *, space: EmbeddingSpace, shown: Shown, limit: int) -> dict[int, float]:
    """Return the similarity of the nearest texts by a scan of all that is shown."""
    distance = CosineDistance("vector", vector)
    near = ToolEmbedding.objects.filter(space=space, text__any_of=shown.texts_array)
    found = near.order_by(distance, "text_id").values_list("text_id", distance)
    return {key: 1 - away for key, away in found[:limit]}


def _similarities(vector: Matrix, texts: Collection[int], *, space: EmbeddingSpace) -> dict[int, float]:
    rows = ToolEmbedding.objects.filter(space=space, text__any_of=IdArray.of(texts))
    found = rows.values_list("text_id", CosineDistance("vector", vector))
    return {key: 1 - away for key, away in found}
