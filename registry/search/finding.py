"""Find tools for a request: the best by meaning and by words, fused, one version per tool."""

from dataclasses import dataclass

from registry.models import EmbeddingSpace, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import meaning, ranking, tokens, words
from registry.search.embedders import Embedder
from registry.search.ranking import Hit


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space and the model that makes its vectors."""

    row: EmbeddingSpace
    embedder: Embedder


CANDIDATES = 100
"""How many of each list go into the formula (SEARCH §9)."""
NOTHING_FITS = 0.22
"""A best score below this means that no tool fits: 99 % of the probe's requests that fit score higher."""


@dataclass(frozen=True, slots=True)
class Found:
    """Hits with their registrations, best first; `nothing_fits` when even the best one is far off."""

    hits: list[tuple[ToolRegistration, Hit[int]]]
    nothing_fits: bool


def find(query: str, *, visible: ToolRegistrationQuerySet, space: Space | None, top_k: int) -> Found:
    """Return the registrations in `visible` that fit the request best.

    `visible` carries the visibility rule and every filter. Of each tool the highest version in it is looked
    at, a prerelease only where there is nothing else: a tool with many versions is one candidate. A tool
    without an embedding yet is found by words; without a space all are.
    """
    shown = visible.one_per_tool()
    matches = words.matches(tokens.query_terms(query), shown=shown, limit=CANDIDATES)
    near = _by_meaning(query, list(matches), shown, space)
    hits = ranking.fuse(near, matches, limit=top_k)
    rows = ToolRegistration.objects.with_last_beat().in_bulk([hit.key for hit in hits])
    found = [(rows[hit.key], hit) for hit in hits if hit.key in rows]  # else deleted since
    return Found(found, nothing_fits=not found or found[0][1].score < NOTHING_FITS)


def _by_meaning(
    query: str, matched: list[int], shown: ToolRegistrationQuerySet, space: Space | None
) -> dict[int, float]:
    vector = meaning.query_vector(query, space.embedder) if space else None
    if space is None or vector is None:
        return {}
    near = meaning.nearest(vector, space=space.row, shown=shown, limit=CANDIDATES)
    return near | meaning.similarities(vector, [key for key in matched if key not in near], space=space.row)
