"""Calls that may come twice: the second is told what became of the first, and nothing is called again."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from consumers.models import RepeatableCall
from oauth.principal import Principal
from toolroster.errors import Conflict, DocumentInvalid, Fault

KEPT_HOURS = 24
MOST_BYTES = 256 * 1024
"""The largest answer that is kept to be told again."""
_LONGEST = timedelta(hours=1, minutes=5)
"""After which a call that has no answer is not running any more: its process died."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What the first call was told."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Key:
    """A key, and whose it is: an application's, for the person for whom it acts."""

    text: str
    application_id: int | None
    user_id: int | None

    @classmethod
    def of(cls, text: str, principal: Principal) -> "Key":
        """Return a key of a principal."""
        return cls(text, principal.application_id, principal.user_id)

    def rows(self) -> "QuerySet[RepeatableCall]":
        """Return the row of the key."""
        whose = {"application_id": self.application_id, "user_id": self.user_id}
        named = {
            name if value is not None else f"{name}__isnull": value or True for name, value in whose.items()
        }
        return RepeatableCall.objects.filter(key=self.text, **named)


def begin(key: Key, *, request: bytes, now: datetime) -> Answered | None:
    """Claim a key, and return None; or what the first call with it was told.

    Raises:
        DocumentInvalid: the key came with another request before.
        Conflict: the first call still runs, or nobody knows what became of it.
    """
    digest = hashlib.sha256(request).hexdigest()
    row, is_new = RepeatableCall.objects.get_or_create(
        application_id=key.application_id,  # type: ignore[misc]  # None is IS NULL, the stubs miss it
        user_id=key.user_id,
        key=key.text,
        defaults={"request_hash": digest, "began_at": now},
    )
    if is_new:
        return None
    if row.request_hash != digest:
        fault = Fault("/Idempotency-Key", "reused", "Send another key with another request.")
        raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
    if row.answer is not None and row.status is not None:
        return Answered(row.status, bytes(row.answer))
    if row.status is not None:
        raise Conflict("The call was made and answered; its answer is too large to be told again.")
    if now - row.began_at < _LONGEST:
        raise Conflict("The first call with this key still runs.", retry_after_seconds=1)
    raise Conflict("The first call with this key never came back: what the tool did is not known.")


def finish(key: Key, *, answered: Answered) -> None:
    """Keep what a call was told."""
    kept = answered.body if len(answered.body) <= MOST_BYTES else None
    key.rows().update(status=answered.status, answer=kept)


def give_up(key: Key) -> None:
    """Forget a key whose call never reached a tool: it may come again."""
    key.rows().filter(status=None).delete()


def forget(*, now: datetime) -> int:
    """Forget keys after a day; return how many."""
    return RepeatableCall.objects.filter(began_at__lt=now - timedelta(hours=KEPT_HOURS)).delete()[0]
