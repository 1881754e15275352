"""Choose who serves when the version that was asked for cannot.

1. another version in the caller's range,
2. the alternatives that the provider declared, in its order, with arguments mapped,
3. seeds/004's rule (same primary category, shared tags), made safe: only reading tools stand in for reading
   tools, on arguments that they take, none that asks for approval or reaches out of the house where the asked
   one does not. A mutation is never guessed.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolroster.errors import ToolrosterError
from toolroster.routing.calls import Caller
from toolroster.routing.candidates import Alternative, Candidate
from toolroster.routing.catalogue import Catalogue, Found, Sibling
from toolroster.routing.params import fits, translated

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


async def choices(
    found: Found, params: Mapping[str, Any], caller: Caller, catalogue: Catalogue
) -> AsyncIterator[Choice]:
    """Give the versions that may serve a call, best first; each is looked for when the ones before failed."""
    wanted = found.wanted
    yield Choice(wanted, params)
    for one in found.others:
        if fits(params, one.input_schema):
            yield Choice(one, params, f"{wanted.tool_id} cannot serve; {one.version} is in the range as well")
    for alternative in wanted.alternatives:
        declared = await _declared(alternative, found, params, caller, catalogue)
        if declared is not None:
            yield declared
    for sibling in _best(await _siblings(wanted, caller, catalogue), wanted):
        if fits(params, sibling.candidate.input_schema):
            why = f"{wanted.tool_id} cannot serve; {sibling.candidate.key} is of the same category and tags"
            yield Choice(sibling.candidate, params, why)


async def _declared(
    alternative: Alternative,
    found: Found,
    params: Mapping[str, Any],
    caller: Caller,
    catalogue: Catalogue,
) -> Choice | None:
    try:
        candidate = (await catalogue.find(alternative.ref, caller)).wanted
    except ToolrosterError:  # gone, or not for this caller
        return None
    ours, theirs = found.wanted.input_schema, candidate.input_schema
    mapped = translated(params, alternative.arguments, ours=ours, theirs=theirs)
    if not fits(mapped, theirs):
        return None
    return Choice(
        candidate, mapped, f"{found.wanted.tool_id} cannot serve; it declares {alternative.ref} instead"
    )


async def _siblings(wanted: Candidate, caller: Caller, catalogue: Catalogue) -> list[Sibling]:
    if not (wanted.read_only and wanted.categories):
        return []
    found = await catalogue.siblings(wanted, caller)
    return [one for one in found if one.similarity >= LEAST_SIMILARITY and _is_safe(one.candidate, wanted)]


def _is_safe(one: Candidate, wanted: Candidate) -> bool:
    reaches_out = one.open_world and not wanted.open_world
    return (
        one.read_only and not reaches_out and not one.policy.requires_approval and one.lifecycle == "ACTIVE"
    )


def _best(found: list[Sibling], wanted: Candidate) -> list[Sibling]:
    def worth(one: Sibling) -> tuple[float, str]:
        return -(one.similarity - _PER_RANK * sum(one.candidate.rank)), one.candidate.tool_id

    return sorted((one for one in found if one.candidate.key != wanted.key), key=worth)
