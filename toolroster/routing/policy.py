"""Under which conditions a version is called; each refusal says what would lift it."""

from math import ceil

from toolroster.errors import (
    ConcurrencyLimited,
    InsufficientScope,
    PermissionMissing,
    RateLimited,
)
from toolroster.routing.calls import Caller
from toolroster.routing.candidates import Candidate
from toolroster.routing.stores import Slot, Store


def check_access(candidate: Candidate, caller: Caller) -> None:
    """Let a caller pass that has a role and a scope of the tool: seeing a tool is not calling it (seeds/000).

    Raises:
        InsufficientScope, PermissionMissing.
    """
    roles = candidate.policy.allowed_roles
    if caller.roles is not None and roles and caller.roles.isdisjoint(roles):
        raise PermissionMissing(
            f"{candidate.tool_id} is for agents with one of the roles {', '.join(roles)};"
            " an operator can give this agent one.",
            extra={"allowed_roles": list(roles)},
        )
    if caller.scopes is not None and candidate.scopes and caller.scopes.isdisjoint(candidate.scopes):
        raise InsufficientScope(
            f"{candidate.tool_id} needs one of the scopes {', '.join(candidate.scopes)};"
            " ask for a token with it, or an operator for the grant.",
            scopes=candidate.scopes,
        )


async def check_rate(candidate: Candidate, caller: Caller, store: Store) -> None:
    """Count a call of a version by an agent.

    Raises:
        RateLimited: the minute is full; it says when there is room.
    """
    limit = candidate.policy.rate_limit_per_minute
    wait = await store.hit(f"{candidate.tool_id}|{caller.agent or 'anonymous'}", limit)
    if wait:
        raise RateLimited(
            f"{candidate.tool_id} takes {limit} calls a minute of an agent; there is room in {ceil(wait)} s.",
            retry_after_seconds=ceil(wait),
        )


def slot_of(candidate: Candidate, call_id: str, seconds: float) -> Slot | None:
    """Return the place that a call takes among those that run at once, None where their number is free."""
    most = candidate.policy.max_concurrent_calls
    return None if most is None else Slot(candidate.key, call_id, most, seconds + 1.0)


async def take(slot: Slot | None, store: Store) -> None:
    """Take a place.

    Raises:
        ConcurrencyLimited: all are taken.
    """
    if slot is not None and not await store.enter(slot):
        raise ConcurrencyLimited(
            f"{slot.tool} takes {slot.most} calls at once; come back when one has ended.",
            retry_after_seconds=1,
        )
