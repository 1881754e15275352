"""Find by words: exact BM25 over the postings, in SQL, inside whatever the caller may see."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Avg, Case, Count, F, FloatField, Sum, Value, When
from django.db.models.expressions import Combinable

from registry.models import ToolPosting, ToolRegistration
from registry.search import ranking
from registry.search.ranking import WordMatch
from registry.search.recently import Recently


@dataclass(frozen=True, slots=True)
class Corpus:
    """Number of tools, and mean number of terms of a registration."""

    size: int
    average_length: float


def _count() -> Corpus:
    found = ToolRegistration.objects.aggregate(
        size=Count("of_tool", distinct=True), average=Avg("lexical_length")
    )
    return Corpus(found["size"], float(found["average"] or 1))


corpus = Recently(_count, seconds=60)
"""The statistics of all registrations: they move slowly, and weights take their logarithm."""


def matches(terms: dict[str, str], *, shown: Sequence[int], limit: int) -> dict[int, WordMatch]:
    """Return the best of the registrations `shown` by BM25; `terms` maps each term to the word of the query.

    A term is as rare as it is among what is shown: what the caller may not see, and the other versions of a
    tool, do not count.
    """
    within = ToolPosting.objects.filter(term__in=list(terms), registration__any_of=shown)
    frequencies = dict(within.values_list("term").annotate(Count("pk")))
    if not frequencies:
        return {}
    best = (
        within.values("registration_id")
        .annotate(score=Sum(_weight(frequencies)))
        .order_by("-score", "registration_id")[:limit]
    )
    scores = {row["registration_id"]: row["score"] for row in best}
    return _with_words(scores, terms)


def _weight(frequencies: dict[str, int]) -> Combinable:
    """Return BM25's weight of a posting as SQL; `ranking.bm25_term_weight` is the same in Python."""
    k1, b = ranking.BM25_K1, ranking.BM25_B
    known = corpus.get()
    size = max(known.size, *frequencies.values())  # tools may have come since the corpus was counted
    rarity = Case(
        *(When(term=term, then=Value(ranking.idf(df=df, n=size))) for term, df in frequencies.items()),
        output_field=FloatField(),
    )
    length = F("registration__lexical_length") / Value(known.average_length)
    saturation = F("frequency") + k1 * (1 - b) + length * Value(k1 * b)
    return rarity * F("frequency") * Value(k1 + 1) / saturation


def _with_words(scores: dict[int, float], terms: dict[str, str]) -> dict[int, WordMatch]:
    """Add which words of the query each registration has."""
    words: dict[int, set[str]] = {key: set() for key in scores}
    found = ToolPosting.objects.filter(term__in=list(terms), registration__in=list(scores))
    for key, term in found.values_list("registration_id", "term"):
        words[key].add(terms[term])
    order = list(dict.fromkeys(terms.values()))
    return {key: WordMatch(score, _sorted(words[key], order)) for key, score in scores.items()}


def _sorted(words: set[str], order: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for word in order if word in words)
