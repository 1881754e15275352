"""Calls that may come twice: the second is told what became of the first, and nothing is called again."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from consumers.models import RepeatableCall
from toolroster.errors import Conflict, DocumentInvalid, Fault

KEPT_HOURS = 24
_LONGEST = timedelta(hours=1, minutes=5)
"""After which a call that has no answer is not running any more: its process died."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the first call was told."""

    status: int
    body: bytes


def begin(key: str, *, application_id: int | None, request: bytes, now: datetime) -> Answered | None:
    """Claim a key, and return None; or what the first call with it was told.

    Raises:
        DocumentInvalid: the key came with another request before.
        Conflict: the first call still runs, or nobody knows what became of it.
    """
    digest = hashlib.sha256(request).hexdigest()
    row, is_new = RepeatableCall.objects.get_or_create(
        application_id=application_id,  # type: ignore[misc]  # None is IS NULL, the stubs miss it
        key=key,
        defaults={"request_hash": digest, "began_at": now},
    )
    if is_new:
        return None
    if row.request_hash != digest:
        fault = Fault("/Idempotency-Key", "reused", "Send another key with another request.")
        raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
    if row.answer is not None and row.status is not None:
        return Answered(row.status, bytes(row.answer))
    if now - row.began_at < _LONGEST:
        raise Conflict("The first call with this key still runs.", retry_after_seconds=1)
    raise Conflict("The first call with this key never came back: what the tool did is not known.")


def finish(key: str, *, application_id: int | None, answered: Answered) -> None:
    """Keep what a call was told."""
    _mine(key, application_id).update(status=answered.status, answer=answered.body)


def give_up(key: str, *, application_id: int | None) -> None:
    """Forget a key whose call never reached a tool: it may come again."""
    _mine(key, application_id).filter(answer=None).delete()


def forget(*, now: datetime) -> int:
    """Forget keys after a day; return how many."""
    return RepeatableCall.objects.filter(began_at__lt=now - timedelta(hours=KEPT_HOURS)).delete()[0]


def _mine(key: str, application_id: int | None) -> "QuerySet[RepeatableCall]":
    whose = {"application_id": application_id} if application_id else {"application_id__isnull": True}
    return RepeatableCall.objects.filter(key=key, **whose)
