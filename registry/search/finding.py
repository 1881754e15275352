"""Find tools for a request: by meaning and by words, fused, near-duplicates under the best of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from registry.models import EmbeddingSpace, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import duplicates, meaning, means, ranking, tokens, words
from registry.search.embedders import Embedder, Matrix
from registry.search.language import detect
from registry.search.meaning import Asked
from registry.search.means import Means
from registry.search.ranking import Hit
from registry.search.shown import Shown

Role = EmbeddingSpace.Role


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space and the model that makes its vectors."""

    row: EmbeddingSpace
    embedder: Embedder

    @property
    def means(self) -> Means:
        """What its vectors are centred with."""
        return means.of(self.embedder.model_id, self.row.made_means and bytes(self.row.made_means))


CANDIDATES = 100
"""How many texts of each list go into the formula (SEARCH §9)."""
NOTHING_FITS = 0.22
"""A best score below this means that no tool fits: docs/benchmarks/search.md says what it finds and costs."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool that was found, how its text was ranked, and the ids of those that are nearly the same."""

    registration: ToolRegistration
    hit: Hit[int]
    near_duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """Results, best first; `nothing_fits` when even the best one is far off."""

    results: list[Result] = field(default_factory=list)
    nothing_fits: bool = True


def find(
    query: str,
    *,
    visible: ToolRegistrationQuerySet,
    spaces: Sequence[Space],
    top_k: int,
    shown: Shown | None = None,
) -> Found:
    """Return the registrations in `visible` that fit the request best.

    `visible` carries the visibility rule and every filter. `shown` is what in it is looked at
    (`Shown.of_tools`); who has it kept passes it. A tool without a vector yet is found by words; without a
    space all are.
    """
    shown = Shown.of_tools(visible) if shown is None else shown
    matches = words.matches(tokens.query_terms(query), shown=shown, limit=CANDIDATES)
    near = _similarities(query, list(matches), shown, spaces)
    hits = _of_registrations(ranking.fuse(near, matches, limit=CANDIDATES), shown)
    groups = duplicates.collapse(list(hits), space=spaces[0].row if spaces else None, most=top_k)
    if not groups:
        return Found()
    listed = duplicates.listed(groups, visible=visible)
    rows = visible.with_last_beat().in_bulk(listed)  # asked again: what was shown may be seconds old
    results = [Result(rows[key], hits[key], listed[key]) for key in listed if key in rows]
    return Found(results, nothing_fits=not results or results[0].hit.score < NOTHING_FITS)


def _of_registrations(hits: Sequence[Hit[int]], shown: Shown) -> dict[int, Hit[int]]:
    """Return the first `CANDIDATES` registrations that have the texts which were found, in their order."""
    found = ((key, hit) for hit in hits for key in shown.registrations_of(hit.key))
    return dict(islice(found, CANDIDATES))


def _similarities(query: str, matched: list[int], shown: Shown, spaces: Sequence[Space]) -> dict[int, float]:
    """Return the similarity of the nearest texts and of what words found, as one for all spaces."""
    asked = {
        space.row.role: Asked(vector, space=space.row, shown=shown)
        for space in spaces
        if (vector := _vector(query, space)) is not None
    }
    near = {role: one.nearest(CANDIDATES) for role, one in asked.items()}
    wanted = {*matched, *(key for found in near.values() for key in found)}
    for role, one in asked.items():
        near[role] |= one.of(wanted - near[role].keys())
    return ranking.blend(near.get(Role.MAIN, {}), near.get(Role.ENGLISH, {}))


def _vector(query: str, space: Space) -> Matrix | None:
    """Return the query's vector; None where the space is not for its language, or its model cannot be had."""
    if space.row.role == Role.ENGLISH and detect(query) != "en":
        return None
    return meaning.query_vector(query, space.embedder, space.means)
