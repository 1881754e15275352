"""Find by words: exact BM25 over the postings, in SQL, inside whatever the caller may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Avg, Count

from registry.models import SearchText, ToolPosting
from registry.models.lookups import IdArray
from registry.search import ranking
from registry.search.ranking import WordMatch
from registry.search.recently import Recently
from registry.search.shown import Shown

# `ranking.bm25_term_weight` and `ranking.idf` say the same in Python. Texts may have come since the corpus
# was counted: it is at least as large as the most frequent term says. The array is a subquery, so that
# planning does not look at each of its ids; rarity is materialized, or it would be worked out for each hit.
_BEST = """
WITH hit AS MATERIALIZED (
    SELECT term, text_id, frequency, length FROM registry_toolposting
    WHERE term = ANY(%(terms)s) AND text_id = ANY((SELECT %(texts)s::bigint[])::bigint[])
), known AS (
    SELECT term, count(*) AS df, greatest(%(size)s, max(count(*)) OVER ()) AS n FROM hit GROUP BY term
), rarity AS MATERIALIZED (
    SELECT term, ln(1 + (n - df + 0.5::float8) / (df + 0.5::float8)) AS idf FROM known
), constant AS (
    SELECT %(k1)s::float8 AS k1, %(b)s::float8 AS b, %(average)s::float8 AS average
)
SELECT text_id, sum(idf * frequency * (k1 + 1) / (frequency + k1 * (1 - b + b * length / average))) AS score
FROM hit JOIN rarity USING (term), constant
GROUP BY text_id ORDER BY score DESC, text_id LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Number of texts, and mean number of their terms."""

    size: int
    average_length: float


def _count() -> Corpus:
    found = SearchText.objects.aggregate(size=Count("pk"), average=Avg("length"))
    return Corpus(found["size"], float(found["average"] or 1))


corpus = Recently(_count, seconds=60)
"""The statistics of all texts: they move slowly, and weights take their logarithm."""


def matches(terms: dict[str, str], *, shown: Shown, limit: int) -> dict[int, WordMatch]:
    """Return the best of the texts `shown` by BM25; `terms` maps each term to the word of the query.

    A term is as rare as it is among what is shown: what the caller may not see, and the other versions of a
    tool, do not count.
    """
    if not terms or not len(shown):
        return {}
    known = corpus.get()
    values: dict[str, Any] = {
        "terms": list(terms),
        "texts": shown.texts_array.text,
        "size": known.size,
        "average": known.average_length,
        "k1": ranking.BM25_K1,
        "b": ranking.BM25_B,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(_BEST, values)
        scores = dict(cursor.fetchall())
    return _with_words(scores, terms)


def _with_words(scores: dict[int, float], terms: dict[str, str]) -> dict[int, WordMatch]:
    """Add which words of the query each text has."""
    words: dict[int, set[str]] = {key: set() for key in scores}
    found = ToolPosting.objects.filter(term__in=list(terms), text__any_of=IdArray.of(scores))
    for key, term in found.values_list("text_id", "term"):
        words[key].add(terms[term])
    order = list(dict.fromkeys(terms.values()))
    return {key: WordMatch(score, _sorted(words[key], order)) for key, score in scores.items()}


def _sorted(words: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    held = set(words)
    return tuple(word for word in order if word in held)
