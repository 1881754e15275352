"""The nearest by meaning among synthetic vectors: exact scans, and the index of a large space."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
from django.db import connection

from bench import data
from bench.measure import Variant
from registry.models import EmbeddingSpace, ToolRegistration
from registry.search import ann, meaning
from registry.search.embedders import Matrix
from registry.search.embedders.base import normalise

UNIT = "search"

_DIMENSIONS = 384
_LIMIT = 100
_CLUSTERS = 500
# `WHERE c = c` has PostgreSQL draw a centre for each row; without it one would serve all.
_FILL = """
WITH centres AS MATERIALIZED (
    SELECT c, (SELECT array_agg(random() - 0.5) FROM generate_series(1, %(dimensions)s) WHERE c = c) AS centre
    FROM generate_series(0, %(clusters)s - 1) c
)
INSERT INTO registry_toolembedding (registration_id, space_id, content_hash, vector, created_at)
SELECT registration.id, %(space)s, 'x',
    (SELECT array_agg(at + 0.5 * (random() - 0.5)) FROM unnest(centre) at)::real[]::vector::halfvec, %(now)s
FROM registry_toolregistration registration JOIN centres ON c = registration.id %% %(clusters)s
"""
_recalls: list[float] = []


def variants() -> list[Variant]:
    """Return scans of everything and of a hundredth beside the index."""
    space, ids = _filled()
    queries = _near_stored(space)
    few = ids[:: max(1, len(ids) // 200)]
    ann.WORTH_IT = min(ann.WORTH_IT, len(ids) - 1)
    ann.maintain(space, dimensions=_DIMENSIONS)
    _recalls.extend(_recall(query, space, ids) for query in queries[:50])
    turn = cycle(queries)
    yardstick = Variant(
        "exact, all", lambda: meaning.exactly_nearest(next(turn), space=space, shown=ids, limit=_LIMIT)
    )
    return [
        yardstick,
        Variant(
            "exact, 200 that a filter leaves",
            lambda: meaning.nearest(next(turn), space=space, shown=few, limit=_LIMIT),
            against=yardstick.name,
        ),
        Variant(
            "index, all",
            lambda: meaning.nearest(next(turn), space=space, shown=ids, limit=_LIMIT),
            against=yardstick.name,
        ),
    ]


def facts() -> dict[str, float]:
    """Return how much of the exact answer the index found."""
    return {"index: recall of the nearest 100": sum(_recalls) / len(_recalls)}


def _filled() -> tuple[EmbeddingSpace, list[int]]:
    space = EmbeddingSpace.objects.create(space_id="synthetic", backend="none", created_at=data.NOW)
    values: dict[str, Any] = {
        "dimensions": _DIMENSIONS,
        "clusters": _CLUSTERS,
        "space": space.pk,
        "now": data.NOW,
    }
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(_FILL, values)
        cursor.execute("ANALYZE registry_toolembedding")
    return space, list(ToolRegistration.objects.order_by("pk").values_list("pk", flat=True))


def _near_stored(space: EmbeddingSpace) -> list[Matrix]:
    """Return queries as they are: near something, and never the thing itself."""
    dice = np.random.default_rng(7)
    rows = space.embeddings.order_by("?").values_list("vector", flat=True)[:200]
    stored = np.array([list(row) for row in rows], dtype=np.float32)
    return list(normalise(stored + 0.09 * dice.standard_normal(stored.shape).astype(np.float32)))


def _recall(query: Matrix, space: EmbeddingSpace, ids: Sequence[int]) -> float:
    exact = meaning.exactly_nearest(query, space=space, shown=ids, limit=_LIMIT)
    found = ann.nearest(query, space=space, shown=ids, limit=_LIMIT) or {}
    return len(exact.keys() & found.keys()) / len(exact)
