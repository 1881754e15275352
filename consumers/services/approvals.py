"""Approvals: asked for by a call, decided by people, used up by one retry of just that call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from consumers.models import Approval
from consumers.models.ownership import own
from oauth.principal import Principal
from registry.models import ToolEvent, ToolRegistration
from registry.services import events
from registry.services.rendering import timestamp
from toolroster.errors import (
    ApprovalPending,
    ApprovalRefused,
    Conflict,
    DocumentInvalid,
    Fault,
    PermissionMissing,
    RateLimited,
    ToolNotFound,
)
from toolroster.routing.calls import params_hash
from toolroster.routing.sensitive import redacted

MOST_PENDING = 100
"""Calls of one agent that may wait for people at once."""
_RETRY_SECONDS = 30
State = Approval.State


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that needs approval: by whom, of which version, with which arguments."""

    principal: Principal
    tool_id: str
    params: Mapping[str, Any]
    schema: Mapping[str, Any]
    session_id: str = ""
    hash_key: bytes = field(default=b"", repr=False)

    @property
    def digest(self) -> str:
        return params_hash(self.params, key=self.hash_key)


def check(approval_id: str, wanted: Wanted, *, now: datetime, seconds: int) -> None:
    """Let a call pass that was approved; ask for approval where the call names none.

    Raises:
        ApprovalPending: `extra` has the id to come back with.
        ApprovalRefused: somebody has refused, and says why.
        Conflict: the approval is for another call, was used, or has expired.
        DocumentInvalid: the agent has no such approval.
    """
    if not approval_id:
        raise pending(ask(wanted, now=now, seconds=seconds))
    row = of_call(approval_id, principal=wanted.principal)
    if row.registration.tool_id != wanted.tool_id or row.params_hash != wanted.digest:
        raise Conflict("The approval is for a call of another version or with other arguments.")
    if row.state == State.REJECTED:
        raise ApprovalRefused(f"The call was refused: {row.reason or 'no reason was given'}.")
    if row.state == State.USED:
        raise Conflict("The approval was used: it is good for one call.")
    if row.expires_at <= now:
        raise Conflict("The approval has expired: call without its id to ask again.")
    if row.state == State.PENDING:
        raise pending(row)


@transaction.atomic
def ask(wanted: Wanted, *, now: datetime, seconds: int) -> Approval:
    """Return what waits for the same call, or a new row for people to decide about.

    Raises:
        RateLimited: too much of this agent waits already.
    """
    version = ToolRegistration.objects.get(tool_id=wanted.tool_id)
    mine = Approval.objects.filter(own(wanted.principal)).select_related("registration")
    same = mine.filter(
        registration=version, params_hash=wanted.digest, state__in=[State.PENDING, State.APPROVED]
    )
    same.filter(expires_at__lte=now).update(state=State.EXPIRED)
    if (found := same.first()) is not None:
        return found
    if mine.filter(state=State.PENDING, expires_at__gt=now).count() >= MOST_PENDING:
        raise RateLimited(
            f"{MOST_PENDING} calls of this agent wait for approval already.", retry_after_seconds=300
        )
    row = Approval(
        application_id=wanted.principal.application_id,
        user_id=wanted.principal.user_id,
        registration=version,
        params=redacted(wanted.params, wanted.schema),
        params_hash=wanted.digest,
        session_id=wanted.session_id,
        asked_at=now,
        expires_at=now + timedelta(seconds=seconds),
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:  # the same call asked at the same moment
        return same.get()
    return row


def pending(row: Approval) -> ApprovalPending:
    """Return what a call is told that has to wait, or to come back with the id."""
    is_approved = row.state == State.APPROVED
    how = "was approved: call again with its id" if is_approved else "waits for approval"
    return ApprovalPending(
        f"The call of {row.registration.tool_id} {how} (approval_id {row.pk}).",
        retry_after_seconds=1 if is_approved else _RETRY_SECONDS,
        extra={
            "approval_id": str(row.pk),
            "state": row.state,
            "tool_id": row.registration.tool_id,
            "expires_at": timestamp(row.expires_at),
        },
    )


def of_call(approval_id: str, *, principal: Principal) -> Approval:
    """Return an approval of the agent that asks.

    Raises:
        DocumentInvalid: it has no such one.
    """
    found = _readable(principal, only_own=True).filter(pk=_uuid(approval_id)).first()
    if found is None:
        fault = Fault("/approval_id", "unknown", "This agent has no such approval.")
        raise DocumentInvalid(f"/approval_id: {fault.detail}", errors=[fault])
    return found


def use(approval_id: str, *, call_id: str, now: datetime) -> None:
    """Use an approval up.

    Raises:
        Conflict: another call was faster, or it has expired.
    """
    fresh = Approval.objects.filter(pk=_uuid(approval_id), state=State.APPROVED, expires_at__gt=now)
    if not fresh.update(state=State.USED, used_at=now, used_by_call=call_id):
        raise Conflict("The approval was used by another call meanwhile, or has expired.")


def give_back(approval_id: str, *, call_id: str) -> None:
    """Let an approval count again whose call was never sent."""
    used = Approval.objects.filter(pk=_uuid(approval_id), state=State.USED, used_by_call=call_id)
    used.update(state=State.APPROVED, used_at=None, used_by_call=None)


@transaction.atomic
def decide(
    approval_id: UUID, *, approve: bool, by: str, now: datetime, reason: str = "", decider: int | None = None
) -> Approval:
    """Approve or refuse a call; the agent hears of it in its inbox. `decider` is the client that decides.

    Raises:
        ToolNotFound: there is no such approval.
        Conflict: it is decided, or has expired.
        PermissionMissing: an agent would decide about its own call.
    """
    row = Approval.objects.select_related("registration").filter(pk=approval_id).first()
    if row is None:
        raise _unknown(str(approval_id))
    if decider is not None and decider == row.application_id:
        raise PermissionMissing("Somebody else decides about the calls of this agent.")
    state = State.APPROVED if approve else State.REJECTED
    waiting = Approval.objects.filter(pk=row.pk, state=State.PENDING, expires_at__gt=now)
    if not waiting.update(state=state, decided_at=now, decided_by=by, reason=reason):
        raise Conflict("It is decided already, or has expired.")
    if row.application_id is not None:
        data = {"approval_id": str(row.pk), "state": str(state), "reason": reason}
        events.record_for(
            ToolEvent.Kind.APPROVAL_DECIDED, row.registration, [row.application_id], now=now, data=data
        )
    row.refresh_from_db()
    return row


def get(approval_id: str, *, principal: Principal) -> Approval:
    """Return an approval of the agent that asks; operators see all.

    Raises:
        ToolNotFound: there is none that it may see.
    """
    found = _readable(principal).filter(pk=_uuid(approval_id)).first()
    if found is None:
        raise _unknown(approval_id)
    return found


def listed(*, principal: Principal, state: str | None, most: int) -> list[Approval]:
    """Return approvals, the newest first."""
    found = _readable(principal).order_by("-asked_at", "pk")
    return list((found.filter(state=state) if state else found)[:most])


def _readable(principal: Principal, *, only_own: bool = False) -> "QuerySet[Approval]":
    rows = Approval.objects.select_related("registration", "application")
    if principal.has("tools:admin") and not only_own:
        return rows
    return rows.filter(own(principal))


def _unknown(approval_id: str) -> ToolNotFound:
    return ToolNotFound(f"There is no approval {approval_id[:100]}.")


def _uuid(text: str) -> UUID:
    """Return the id that a text is; what is no id is that of nobody."""
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)
