"""What the router asks a registry, and the registry client as one that answers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from toolroster import semver
from toolroster.channels import split
from toolroster.client.answers import Registration
from toolroster.client.registry import Registry
from toolroster.errors import ToolrosterError, ToolUnavailable, Unavailable
from toolroster.reference import Reference, parse_reference
from toolroster.routing.calls import Caller
from toolroster.routing.candidates import Candidate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """The version that a reference means, alive or not, and others in its range, highest first."""

    wanted: Candidate
    others: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Sibling:
    """A tool that may do what another does: `similarity` is 0 to 1."""

    candidate: Candidate
    similarity: float


class Catalogue(Protocol):
    """A registry, as the router asks it; it shows a caller what that may see, and nothing else."""

    async def find(self, ref: str, caller: Caller) -> Found:
        """Return what a reference or tool id means.

        Raises:
            ToolNotFound, ReferenceAmbiguous, NoMatchingVersion: with the nearest names.
        """

    async def siblings(self, candidate: Candidate, caller: Caller) -> Sequence[Sibling]:
        """Return live tools of the same primary category that share a tag, the most similar first."""


class RegistryCatalogue:
    """The catalogue of an agent that calls tools itself: what the registry tells it, or told it before."""

    def __init__(self, registry: Registry, *, may_be_private: bool = True) -> None:
        self._registry = registry
        self._may_be_private = may_be_private

    async def find(self, ref: str, caller: Caller) -> Found:
        """See `Catalogue`."""
        return await _in_thread(lambda: self._find(ref))

    async def siblings(self, candidate: Candidate, caller: Caller) -> Sequence[Sibling]:
        """See `Catalogue`. Where the registry is away there are none: similarity is its business."""
        if not candidate.categories:
            return []
        try:
            return await _in_thread(lambda: self._siblings(candidate))
        except ToolrosterError:
            return []

    def _find(self, ref: str) -> Found:
        try:
            wanted = self._registry.get(ref) if ref.count(":") > 1 else self._registry.resolve(ref)
        except ToolUnavailable as error:
            return self._dead(parse_reference(ref), error)
        inside = None if ref.count(":") > 1 else range_of_others(wanted.version, parse_reference(ref).range)
        others = [row for row in self._versions(wanted, inside) if row.version != wanted.version]
        return Found(self._candidate(wanted.document), tuple(self._candidate(one.document) for one in others))

    def _versions(self, wanted: Registration, inside: str | None) -> list[Registration]:
        """Return the versions in a range; none where the registry is away and did not say before."""
        if inside is None:
            return []
        try:
            rows = self._registry.versions(wanted.provider, wanted.name)
        except Unavailable:
            return []
        return [row for row in rows if _is_in(row, inside)]

    def _candidate(self, document: Mapping[str, Any]) -> Candidate:
        return Candidate.of(document, may_be_private=self._may_be_private)

    def _dead(self, reference: Reference, error: ToolUnavailable) -> Found:
        """Return the versions of a tool of which none is alive; the registry says whose it is."""
        provider = reference.provider or (error.nearest[0].partition("/")[0] if error.nearest else "")
        if not provider:
            raise error
        _, inside = split(reference.range or "")
        rows = [
            row for row in self._registry.versions(provider, reference.name) if _is_in(row, inside or "*")
        ]
        if not rows:
            raise error
        wanted, *others = (self._candidate(row.document) for row in rows)
        return Found(wanted, tuple(others))

    def _siblings(self, candidate: Candidate) -> list[Sibling]:
        words = candidate.description or " ".join([candidate.name.replace("_", " "), *candidate.tags])
        rows = self._registry.search(words, top_k=20, category=candidate.categories[0])
        found = [Sibling(self._candidate(row["tool"]), float(row["similarity"] or 0)) for row in rows]
        return [one for one in found if is_kin(one.candidate, candidate)]


def range_of_others(version: str, asked: str | None) -> str | None:
    """Return the range in which another version may stand in; None where an exact one was asked for.

    Who asked for no range gets versions of the same major alone, below 1.0.0 of the same minor: others break
    their callers (semver.org 2.0.0 §4, §8).
    """
    text = (asked or "").strip()
    if semver.valid_version(text.removeprefix("=").strip()) is not None:
        return None
    _, inside = split(text)
    if inside not in {"", "*"}:
        return inside
    parts = semver.parse_version(version)
    return f"{parts.major}.x" if parts.major else f"0.{parts.minor}.x"


def _is_in(row: Registration, inside: str) -> bool:
    return row.document.get("lifecycle", "ACTIVE") == "ACTIVE" and semver.satisfies(row.version, inside)


def is_kin(one: Candidate, other: Candidate) -> bool:
    """Tell whether two tools are of one primary category and share a tag (seeds/004 findFallback)."""
    if one.key == other.key or not other.categories or one.categories[:1] != other.categories[:1]:
        return False
    return not other.tags or bool(set(one.tags) & set(other.tags))


async def _in_thread(ask: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, ask)
