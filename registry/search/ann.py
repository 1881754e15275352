"""Approximate nearest neighbours for large spaces: an HNSW index of pgvector, where it pays (SEARCH §8).

Below `WORTH_IT` vectors an exact scan takes some milliseconds and misses nothing. Above, and only for a
search that looks at many, the index is asked; whoever looks at few is answered exactly, so that no filter
costs recall.
"""

from typing import Any

import numpy as np
from django.db import connection, transaction

from registry.models import EmbeddingSpace, ToolEmbedding
from registry.search.embedders import Matrix
from registry.search.recently import Recently
from registry.search.shown import Shown

WORTH_IT = 20_000
"""More vectors than these get an index, and a search that looks at more than these asks it."""
_MORE, _MANY_MORE = 4, 40
"""How many times as many the index is asked for as are wanted, first and where too few of them are shown."""

_NEAREST = """
SELECT text_id, 1 - distance FROM (
    SELECT text_id, vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions}) AS distance
    FROM registry_toolembedding WHERE space_id = {space}
    ORDER BY vector::halfvec({dimensions}) <=> %(vector)s::halfvec({dimensions})
    LIMIT %(limit)s
) found ORDER BY distance, text_id
"""
_CREATE = """
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON registry_toolembedding
USING hnsw ((vector::halfvec({dimensions})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)
WHERE space_id = {space}
"""
_INDEXES = """
SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE relname LIKE 'toolembedding\\_hnsw\\_%%'
"""


def name_of(space: EmbeddingSpace) -> str:
    """Return the name of a space's index."""
    return f"toolembedding_hnsw_{space.pk}"


def is_ready(space: EmbeddingSpace) -> bool:
    """Tell whether a space had its index a minute ago."""
    return name_of(space) in ready.get()


def nearest(vector: Matrix, *, space: EmbeddingSpace, shown: Shown, limit: int) -> dict[int, float] | None:
    """Return the nearest of the texts `shown` as the index finds them; None where it found too few of them.

    What is not shown is left out here: to send a hundred thousand ids costs more than the search.
    """
    for asked in (_MORE * limit, _MANY_MORE * limit):
        found = _near(vector, space, asked)
        texts = np.fromiter(found, dtype=np.int64, count=len(found))
        is_shown = shown.has(texts)
        if is_shown.sum() >= limit:
            return {key: found[key] for key in texts[is_shown][:limit].tolist()}
    return None


def _near(vector: Matrix, space: EmbeddingSpace, limit: int) -> dict[int, float]:
    sql = _NEAREST.format(dimensions=len(vector), space=space.pk)
    values: dict[str, Any] = {"vector": str(vector.tolist()), "limit": limit}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL hnsw.ef_search = {min(limit, 1000)}")
        cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
        cursor.execute("SET LOCAL hnsw.max_scan_tuples = 20000")
        cursor.execute(sql, values)
        return dict(cursor.fetchall())


def maintain(space: EmbeddingSpace, *, dimensions: int) -> bool:
    """Give a space its index once that pays; tell whether one was built.

    Building goes on beside reads and writes. One that was broken off is built anew; those of spaces that are
    gone are dropped.
    """
    known = dict(_indexes())
    living = {name_of(one) for one in EmbeddingSpace.objects.all()}
    broken = {name for name, is_valid in known.items() if name not in living or not is_valid}
    with connection.cursor() as cursor:
        for name in sorted(broken):
            cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
        if known.get(name_of(space)) or not _is_large(space):
            return False
        cursor.execute(_CREATE.format(name=name_of(space), dimensions=dimensions, space=space.pk))
    ready.forget()
    return True


def _is_large(space: EmbeddingSpace) -> bool:
    return ToolEmbedding.objects.filter(space=space)[WORTH_IT : WORTH_IT + 1].exists()


def _indexes() -> list[tuple[str, bool]]:
    with connection.cursor() as cursor:
        cursor.execute(_INDEXES, [])
        rows: list[tuple[str, bool]] = cursor.fetchall()
        return rows


ready = Recently(lambda: frozenset(name for name, is_valid in _indexes() if is_valid), seconds=60)
"""The names of the indexes that can be asked."""
