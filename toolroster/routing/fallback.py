"""Choose who serves when the version that was asked for cannot.

1. another version in the caller's range,
2. the alternatives that the provider declared, in its order, with arguments mapped,
3. seeds/004's rule (same primary category, shared tags): only reading tools for reading tools.

None is more dangerous than the asked one: what reads is never replaced by what changes something, and what
stays in the house by nothing that reaches out. Each gets the arguments that were sent, with defaults of its
own. A tool of another provider that was only guessed gets nothing that is sensitive.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolroster.errors import ArgumentsInvalid, ToolrosterError
from toolroster.routing.calls import Caller
from toolroster.routing.candidates import Alternative, Candidate
from toolroster.routing.catalogue import Catalogue, Found, Sibling
from toolroster.routing.params import prepared, translated
from toolroster.routing.sensitive import redacted

LEAST_SIMILARITY = 0.35
"""Cosine of centred vectors: tools that do the same are above, those of one subject often below."""
_PER_RANK = 0.1
"""What one step of health or cost weighs against similarity."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A version to send a call to, with the arguments for it; `why` is "" for the one that was asked for."""

    candidate: Candidate
    params: Mapping[str, Any] = field(repr=False)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Choosing:
    """A call to choose for: what was found, `sent` arguments, and those with defaults filled in."""

    found: Found
    sent: Mapping[str, Any] = field(repr=False)
    filled: Mapping[str, Any] = field(repr=False)
    caller: Caller
    catalogue: Catalogue

    async def choices(self) -> AsyncIterator[Choice]:
        """Give the versions that may serve, best first; each is looked for when those before failed."""
        wanted = self.found.wanted
        yield Choice(wanted, self.filled)
        for one in self.found.others:
            if choice := self._taken(one, self.sent, f"{one.version} is in the range as well"):
                yield choice
        for alternative in wanted.alternatives:
            if declared := await self._declared(alternative):
                yield declared
        for sibling in await self._siblings():
            why = f"{sibling.candidate.key} is of the same category and tags"
            if choice := self._taken(sibling.candidate, self.sent, why):
                yield choice

    def _taken(self, one: Candidate, params: Mapping[str, Any], why: str) -> Choice | None:
        wanted = self.found.wanted
        if not _is_no_more_dangerous(one, wanted):
            return None
        try:
            return Choice(one, prepared(params, one.input_schema), f"{wanted.tool_id} cannot serve; {why}")
        except ArgumentsInvalid:
            return None

    async def _declared(self, alternative: Alternative) -> Choice | None:
        try:
            candidate = (await self.catalogue.find(alternative.ref, self.caller)).wanted
        except ToolrosterError:  # gone, or not for this caller
            return None
        ours, theirs = self.found.wanted.input_schema, candidate.input_schema
        mapped = translated(self.sent, alternative.arguments, ours=ours, theirs=theirs)
        return self._taken(candidate, mapped, f"it declares {alternative.ref} instead")

    async def _siblings(self) -> list[Sibling]:
        wanted = self.found.wanted
        if not (wanted.read_only and wanted.categories):
            return []
        found = await self.catalogue.siblings(wanted, self.caller)
        is_sensitive = redacted(self.filled, wanted.input_schema) != self.filled
        return _best([one for one in found if _is_safe(one, wanted, is_sensitive=is_sensitive)], wanted)


def _is_no_more_dangerous(one: Candidate, wanted: Candidate) -> bool:
    return one.danger <= wanted.danger and (wanted.open_world or not one.open_world)


def _is_safe(one: Sibling, wanted: Candidate, *, is_sensitive: bool) -> bool:
    candidate = one.candidate
    is_ready = candidate.lifecycle == "ACTIVE" and not candidate.policy.requires_approval
    is_trusted = candidate.provider == wanted.provider or not is_sensitive
    return one.similarity >= LEAST_SIMILARITY and is_ready and is_trusted


def _best(found: list[Sibling], wanted: Candidate) -> list[Sibling]:
    def worth(one: Sibling) -> tuple[float, str]:
        return -(one.similarity - _PER_RANK * sum(one.candidate.rank)), one.candidate.tool_id

    return sorted((one for one in found if one.candidate.key != wanted.key), key=worth)
