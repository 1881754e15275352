"""Steps that people decide: approve, reject, deprecate, restore, retire."""

from datetime import datetime

from django.db import transaction

from registry.models import ToolEvent, ToolRegistration
from registry.services import events, indexing, presentation, registration
from toolroster.errors import Conflict
from toolroster.words import PresentationWords

Review = ToolRegistration.Review
Lifecycle = ToolRegistration.Lifecycle


@transaction.atomic
def approve(registration_id: int, *, now: datetime) -> ToolRegistration:
    """Approve a registration and its pending words, which are served from now on.

    Raises:
        Conflict: nothing is waiting.
    """
    row = _locked(registration_id)
    if row.review == Review.APPROVED and row.pending_presentation is None:
        raise Conflict(f"Nothing of {row.tool_id} waits for approval.")
    # Without words that wait a rejection is taken back: what was rejected is approved as it is.
    words = row.pending_presentation or presentation.add(row, PresentationWords.of(row.definition), now=now)
    definition = presentation.words_of(words).put_into(row.definition)
    registration.write(row, definition, now=now)
    row.approved_presentation, row.pending_presentation = words, None
    row.review = Review.APPROVED
    indexing.attach([(row, definition)])
    row.save()
    events.record(ToolEvent.Kind.APPROVED, [row], now=now)
    return row


@transaction.atomic
def reject(registration_id: int, *, now: datetime, reason: str = "") -> ToolRegistration:
    """Reject what is waiting: new words, or a registration that was never approved.

    Raises:
        Conflict: nothing is waiting.
    """
    row = _locked(registration_id)
    if row.review in {Review.APPROVED, Review.REJECTED} and row.pending_presentation is None:
        raise Conflict(f"Nothing of {row.tool_id} waits for approval.")
    row.review = Review.APPROVED if row.review == Review.APPROVED else Review.REJECTED
    row.pending_presentation = None
    row.save(update_fields=["review", "pending_presentation"])
    events.record(ToolEvent.Kind.REJECTED, [row], now=now, data={"reason": reason})
    return row


@transaction.atomic
def deprecate(
    registration_id: int,
    *,
    now: datetime,
    reason: str = "",
    sunset_at: datetime | None = None,
    replaced_by: str = "",
) -> ToolRegistration:
    """Take an active version out of new resolutions; its exact version still works.

    Raises:
        Conflict: it is not active.
    """
    row = _move(registration_id, Lifecycle.ACTIVE, Lifecycle.DEPRECATED)
    row.sunset_at, row.replaced_by, row.deprecation_reason = sunset_at, replaced_by, reason
    row.save(update_fields=["lifecycle", "sunset_at", "replaced_by", "deprecation_reason"])
    events.record(ToolEvent.Kind.DEPRECATED, [row], now=now, data={"reason": reason})
    return row


@transaction.atomic
def restore(registration_id: int, *, now: datetime) -> ToolRegistration:
    """Undo a deprecation.

    Raises:
        Conflict: it is not deprecated.
    """
    row = _move(registration_id, Lifecycle.DEPRECATED, Lifecycle.ACTIVE)
    row.sunset_at, row.replaced_by, row.deprecation_reason = None, "", ""
    row.save(update_fields=["lifecycle", "sunset_at", "replaced_by", "deprecation_reason"])
    events.record(ToolEvent.Kind.UPDATED, [row], now=now, data={"changes": ["/lifecycle"]})
    return row


@transaction.atomic
def retire(registration_id: int, *, now: datetime, reason: str = "") -> ToolRegistration:
    """Take a version out of service for good; its id is never used again.

    Raises:
        Conflict: it is retired already.
    """
    row = _locked(registration_id)
    if row.lifecycle == Lifecycle.RETIRED:
        raise Conflict(f"{row.tool_id} is retired already.")
    row.lifecycle = Lifecycle.RETIRED
    row.save(update_fields=["lifecycle"])
    events.record(ToolEvent.Kind.RETIRED, [row], now=now, data={"reason": reason})
    return row


def _locked(registration_id: int) -> ToolRegistration:
    return ToolRegistration.objects.select_for_update(of=("self",), no_key=True).get(pk=registration_id)


def _move(registration_id: int, before: Lifecycle, after: Lifecycle) -> ToolRegistration:
    row = _locked(registration_id)
    if row.lifecycle != before:
        raise Conflict(f"{row.tool_id} is {row.lifecycle}, not {before}.")
    row.lifecycle = after
    return row
