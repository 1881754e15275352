"""Find tools for a request: the best by meaning and by words, fused, one version per tool."""

from collections.abc import Iterator
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

    `visible` carries the visibility rule and every filter. A tool without an embedding yet is found by
    words; without a space all are.
    """
    matches = words.matches(tokens.query_terms(query), visible=visible, limit=CANDIDATES)
    near = _by_meaning(query, list(matches), visible, space)
    hits = ranking.fuse(near, matches)
    best = list(_one_per_tool(hits, _load(hits)))[:top_k]
    return Found(best, nothing_fits=not best or best[0][1].score < NOTHING_FITS)


def _by_meaning(
    query: str, matched: list[int], visible: ToolRegistrationQuerySet, space: Space | None
) -> dict[int, float]:
    vector = meaning.query_vector(query, space.embedder) if space else None
    if space is None or vector is None:
        return {}
    near = meaning.nearest(vector, space=space.row, visible=visible, limit=CANDIDATES)
    return near | meaning.similarities(vector, [key for key in matched if key not in near], space=space.row)


def _load(hits: list[Hit[int]]) -> dict[int, ToolRegistration]:
    rows = ToolRegistration.objects.filter(pk__in=[hit.key for hit in hits])
    return {row.pk: row for row in rows.with_last_beat()}


def _one_per_tool(
    hits: list[Hit[int]], rows: dict[int, ToolRegistration]
) -> Iterator[tuple[ToolRegistration, Hit[int]]]:
    """Yield each tool once: at the place of its best version, shown by the highest that was found."""
    highest: dict[int, ToolRegistration] = {}
    for row in sorted(rows.values(), key=lambda row: (not row.is_prerelease, row.version_key)):
        highest[row.of_tool_id] = row
    for hit in hits:
        found = rows.get(hit.key)  # None: deleted since the search
        shown = highest.pop(found.of_tool_id, None) if found else None
        if shown:
            yield shown, hit
