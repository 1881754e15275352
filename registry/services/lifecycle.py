"""Steps that people decide: approve, reject, deprecate, yank, restore, retire."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from registry.models import ToolEvent, ToolRegistration
from registry.services import events, indexing, presentation, registration
from toolroster.errors import Conflict, DocumentInvalid, Fault
from toolroster.words import PresentationWords

Review = ToolRegistration.Review
Lifecycle = ToolRegistration.Lifecycle


@transaction.atomic
def approve(registration_id: int, *, now: datetime, by: str = "") -> ToolRegistration:
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
    events.record(ToolEvent.Kind.APPROVED, [row], now=now, by=by)
    return row


@transaction.atomic
def reject(registration_id: int, *, now: datetime, by: str = "", reason: str = "") -> ToolRegistration:
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
    events.record(ToolEvent.Kind.REJECTED, [row], now=now, by=by, data={"reason": reason})
    return row


@dataclass(frozen=True, slots=True)
class Farewell:
    """Why a version should not be used any more, when it will be retired, and what to use instead."""

    reason: str = ""
    sunset_at: datetime | None = None
    replaced_by: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what is known as a JSON object."""
        known = {"reason": self.reason, "replaced_by": self.replaced_by}
        if self.sunset_at is not None:
            known["sunset_at"] = self.sunset_at.isoformat()
        return {name: value for name, value in known.items() if value}


_FAREWELL = ("lifecycle", "deprecated_at", "yanked_at", "sunset_at", "replaced_by", "deprecation_reason")


@transaction.atomic
def deprecate(
    registration_id: int,
    *,
    now: datetime,
    by: str = "",
    reason: str = "",
    sunset_at: datetime | None = None,
    replaced_by: str = "",
) -> ToolRegistration:
    """Take an active version out of new resolutions; its exact version still works.

    Raises:
        Conflict: it is not active.
        DocumentInvalid: its end would lie in the past.
    """
    if sunset_at is not None and sunset_at <= now:
        raise _no_sunset("It lies in the past: name a time to come, or retire it.")
    row = _move(registration_id, Lifecycle.ACTIVE, Lifecycle.DEPRECATED)
    said = Farewell(reason, sunset_at, replaced_by)
    _part(row, said, now=now)
    events.record(ToolEvent.Kind.DEPRECATED, [row], now=now, by=by, data=said.as_json())
    return row


def sunset_of(text: str) -> datetime:
    """Read when a version will be retired: ISO 8601, UTC without a zone.

    Raises:
        DocumentInvalid: it is none, or lies beyond the years 1 to 9999 of UTC.
    """
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise _no_sunset("Write an ISO 8601 time.") from error


def _no_sunset(why: str) -> DocumentInvalid:
    return DocumentInvalid(f"/sunset_at: {why}", errors=[Fault("/sunset_at", "timestamp", why)])


@transaction.atomic
def yank(
    registration_id: int, *, now: datetime, by: str = "", reason: str = "", replaced_by: str = ""
) -> ToolRegistration:
    """Take a version that should not have been published out of every list; exact pins still work.

    Raises:
        Conflict: it is retired, or yanked already.
    """
    row = _locked(registration_id)
    if row.lifecycle == Lifecycle.RETIRED or row.yanked_at is not None:
        raise Conflict(f"{row.tool_id} is {'yanked already' if row.yanked_at else row.lifecycle}.")
    row.lifecycle, row.yanked_at = Lifecycle.DEPRECATED, now
    said = Farewell(reason or row.deprecation_reason, row.sunset_at, replaced_by or row.replaced_by)
    _part(row, said, now=now)
    events.record(ToolEvent.Kind.YANKED, [row], now=now, by=by, data=said.as_json())
    return row


def _part(row: ToolRegistration, said: Farewell, *, now: datetime) -> None:
    row.deprecated_at = row.deprecated_at or now
    row.sunset_at, row.replaced_by, row.deprecation_reason = said.sunset_at, said.replaced_by, said.reason
    row.save(update_fields=_FAREWELL)


@transaction.atomic
def restore(registration_id: int, *, now: datetime, by: str = "") -> ToolRegistration:
    """Undo a deprecation or a yank.

    Raises:
        Conflict: it is not deprecated.
    """
    row = _move(registration_id, Lifecycle.DEPRECATED, Lifecycle.ACTIVE)
    row.deprecated_at = row.yanked_at = row.sunset_at = None
    row.replaced_by = row.deprecation_reason = ""
    row.save(update_fields=_FAREWELL)
    events.record(ToolEvent.Kind.RESTORED, [row], now=now, by=by)
    return row


@transaction.atomic
def retire(registration_id: int, *, now: datetime, by: str = "", reason: str = "") -> ToolRegistration:
    """Take a version out of service for good; its id is never used again.

    Raises:
        Conflict: it is retired already.
    """
    row = _locked(registration_id)
    if row.lifecycle == Lifecycle.RETIRED:
        raise Conflict(f"{row.tool_id} is retired already.")
    _retire([row], now=now, by=by, reason=reason)
    return row


_MOST_AT_ONCE = 500


@transaction.atomic
def retire_after_sunset(*, now: datetime) -> int:
    """Retire deprecated versions whose time has come, so many at once; return how many.

    Rows that somebody decides about right now are left for the next time.
    """
    over = ToolRegistration.objects.filter(lifecycle=Lifecycle.DEPRECATED, sunset_at__lte=now)
    rows = list(over.order_by("sunset_at").select_for_update(skip_locked=True, no_key=True)[:_MOST_AT_ONCE])
    _retire(rows, now=now, by="", reason="sunset")
    return len(rows)


def _retire(rows: list[ToolRegistration], *, now: datetime, by: str, reason: str) -> None:
    for row in rows:
        row.lifecycle = Lifecycle.RETIRED
    ToolRegistration.objects.filter(pk__in=[row.pk for row in rows]).update(lifecycle=Lifecycle.RETIRED)
    events.record(ToolEvent.Kind.RETIRED, rows, now=now, by=by, data={"reason": reason})


def _locked(registration_id: int) -> ToolRegistration:
    return ToolRegistration.objects.select_for_update(of=("self",), no_key=True).get(pk=registration_id)


def _move(registration_id: int, before: Lifecycle, after: Lifecycle) -> ToolRegistration:
    row = _locked(registration_id)
    if row.lifecycle != before:
        raise Conflict(f"{row.tool_id} is {row.lifecycle}, not {before}.")
    row.lifecycle = after
    return row
