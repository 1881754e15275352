"""Tools that are nearly the same, offered by several providers: one of them is enough in an answer."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from registry.models import EmbeddingSpace, ToolEmbedding, ToolRegistration
from registry.models.lookups import IdArray
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import tokens
from registry.search.embedders import Matrix
from registry.search.memory import memory

SAME_NAME_SIMILARITY = 0.85
"""Two tools of one name are nearly the same from this cosine on; one name for two things stays far below."""
SIMILARITY = 0.97
"""And two tools of any names from this one on: a copy under another name."""
MOST_LISTED = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is looked at of a registration."""

    key: int
    tool: int
    tool_id: str
    words: str
    """The name in words, for comparing."""
    text: int


@dataclass(frozen=True, slots=True)
class Group:
    """A registration that stands for itself, and those that it stands for, in the order of the ranking."""

    leader: Candidate
    others: list[Candidate] = field(default_factory=list)


def collapse(ranked: Sequence[int], *, space: EmbeddingSpace | None, most: int) -> list[Group]:
    """Return the ranked registrations in the first groups of near-duplicates, led by the best of each.

    Without vectors only what has the same words is the same.
    """
    known = _candidates(ranked)
    vectors = _vectors({candidate.text for candidate in known.values()}, space)
    groups: list[Group] = []
    for candidate in (known[key] for key in ranked if key in known):  # else deleted since
        same = (group for group in groups if _are_same(group.leader, candidate, vectors))
        if (group := next(same, None)) is not None:
            group.others.append(candidate)
        elif len(groups) < most:
            groups.append(Group(candidate))
    return groups


def _candidates(ranked: Sequence[int]) -> dict[int, Candidate]:
    rows = ToolRegistration.objects.filter(pk__any_of=IdArray.of(ranked))
    found = rows.values_list("pk", "of_tool", "tool_id", "of_tool__name", "search_text")
    return {
        key: Candidate(key, tool, tool_id, tokens.split_name(name).casefold(), text)
        for key, tool, tool_id, name, text in found
    }


def _vectors(texts: Collection[int], space: EmbeddingSpace | None) -> dict[int, Matrix]:
    if space is None:
        return {}
    wanted = np.array(sorted(texts), dtype=np.int64)
    held = memory.held(space)
    if not len(held.lacks(wanted)):
        return held.of(wanted)
    return ToolEmbedding.objects.filter(space=space, text__any_of=IdArray.of(texts)).arrays("text")


def _are_same(one: Candidate, other: Candidate, vectors: Mapping[int, Matrix]) -> bool:
    if one.text == other.text:
        return True
    if one.text not in vectors or other.text not in vectors:
        return False
    similarity = float(vectors[one.text] @ vectors[other.text])
    return similarity >= (SAME_NAME_SIMILARITY if one.words == other.words else SIMILARITY)


def listed(groups: Sequence[Group], *, visible: ToolRegistrationQuerySet) -> dict[int, tuple[str, ...]]:
    """Return, for each leader, the ids of those it stands for, and of its tool's other versions."""
    found = {group.leader.tool: [other.tool_id for other in group.others] for group in groups}
    leaders = [group.leader.key for group in groups]
    versions = visible.filter(of_tool__in=found).exclude(pk__in=leaders).newest_first()
    for tool, tool_id in versions.values_list("of_tool", "tool_id")[: MOST_LISTED * len(groups)]:
        found[tool].append(tool_id)
    return {group.leader.key: tuple(found[group.leader.tool][:MOST_LISTED]) for group in groups}
