"""Words and vectors for the texts of a registry: synthetic, with the frequencies of real ones.

Words follow Zipf: the most frequent of 30,000 is in a quarter of all texts, as `message` or `list` are. The
frequent ones are English, so that requests cost a model what they cost. Vectors lie in 500 clusters.
"""

import json
import random
import re
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
from django.db import connection

from bench import data
from registry.models import EmbeddingSpace
from registry.search import means, tokens
from registry.search.embedders import Matrix
from registry.search.embedders.base import normalise

DIMENSIONS = 384
_CLUSTERS = 500
_FIRST_RANK, _WORDS = 10, 30_000
_DIGITS, _LETTERS = "0123456789", "bdfgklmprt"
"""A rare word is its rank in letters, since what search reads of a request is split at digits."""

_ADD_WORDS = """
INSERT INTO registry_toolposting (text_id, term, frequency, length)
SELECT said.id, coalesce(word, translate(rank::text, %(digits)s, %(letters)s)), count(*), said.length
FROM registry_searchtext said CROSS JOIN generate_series(1, %(terms)s) draw CROSS JOIN LATERAL (
    SELECT floor(%(first)s * exp(random() * ln(%(words)s / %(first)s)))::int + 0 * (draw + said.id) AS rank
) drawn LEFT JOIN unnest(%(frequent)s::text[]) WITH ORDINALITY known (word, number)
    ON number = rank - %(first)s + 1
WHERE said.words_hash LIKE 'bench.%%' GROUP BY 1, 2
"""
# `WHERE c = c` has PostgreSQL draw a centre for each row; without it one would serve all.
_ADD_VECTORS = """
WITH centres AS MATERIALIZED (
    SELECT c, (SELECT array_agg(random() - 0.5) FROM generate_series(1, %(dimensions)s) WHERE c = c) AS centre
    FROM generate_series(0, %(clusters)s - 1) c
)
INSERT INTO registry_toolembedding (text_id, space_id, content_hash, vector, created_at)
SELECT said.id, %(space)s, said.words_hash,
    (SELECT array_agg(at + 0.5 * (random() - 0.5)) FROM unnest(centre) at)::real[]::vector::halfvec, %(now)s
FROM registry_searchtext said JOIN centres ON c = said.id %% %(clusters)s
"""


def add_words() -> None:
    """Give each text its words."""
    values: dict[str, Any] = {
        "terms": data.TERMS,
        "first": float(_FIRST_RANK),
        "words": _WORDS,
        "digits": _DIGITS,
        "letters": _LETTERS,
        "frequent": [term for term, _ in _frequent()],
    }
    _run(_ADD_WORDS, values, "registry_toolposting")


def add_vectors(space: EmbeddingSpace) -> None:
    """Give each text a vector in a space."""
    values = {"dimensions": DIMENSIONS, "clusters": _CLUSTERS, "space": space.pk, "now": data.NOW}
    _run(_ADD_VECTORS, values, "registry_toolembedding")


def _run(sql: str, values: dict[str, Any], table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT setseed(0.5)")
        cursor.execute(sql, values)
        cursor.execute(f"VACUUM ANALYZE {table}")


def vectors_near(space: EmbeddingSpace, number: int) -> list[Matrix]:
    """Return queries as they are: near something, and never the thing itself."""
    dice = np.random.default_rng(7)
    rows = space.embeddings.order_by("?").values_list("vector", flat=True)[:number]
    stored = np.array([list(row) for row in rows], dtype=np.float32)
    return list(normalise(stored + 0.09 * dice.standard_normal(stored.shape).astype(np.float32)))


def requests(number: int) -> list[str]:
    """Return requests of five words each, as frequent as in the texts, each another one."""
    dice = random.Random(7)  # noqa: S311 - a sample, no secret
    spread = _WORDS / _FIRST_RANK
    ranks = [[int(_FIRST_RANK * spread ** dice.random()) for _ in range(5)] for _ in range(number)]
    return [" ".join(map(_word, one)) for one in ranks]


def _word(rank: int) -> str:
    known = _frequent()
    place = rank - _FIRST_RANK
    return known[place][1] if place < len(known) else str(rank).translate(str.maketrans(_DIGITS, _LETTERS))


@cache
def _frequent() -> list[tuple[str, str]]:
    """Return English words as (term, word), from the background texts."""
    rows = (json.loads(line) for line in (means.BACKGROUND / "tools.jsonl").read_text().splitlines())
    said = Counter(re.findall(r"[a-z]{3,}", " ".join(row["en"].lower() for row in rows)))
    found: dict[str, str] = {}
    for word, _ in said.most_common():
        found |= {term: word for term in tokens.terms(word, "en", keep_stop_words=False) if term not in found}
    return list(found.items())
