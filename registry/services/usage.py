"""Record who resolves, describes and calls what, off the path of the request.

Uses are counted in Valkey and written by a task each minute. Fails open: while Valkey is down uses are not
counted, and requests go on.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest
from redis import Redis
from redis.exceptions import RedisError, ResponseError

from oauth.models import Application
from oauth.principal import Principal
from registry.models import ToolRegistration, ToolUse

logger = logging.getLogger(__name__)

_COUNTS = "tr:use"
_TAKEN = "tr:use:taken"
"""What a flush works on, renamed in one step: no count is lost; one whose flush dies is written again."""
_FLUSHING = "tr:use:flushing"
_LONGEST_FLUSH_SECONDS = 120
"""When a flush that holds `_FLUSHING` counts as dead: its task is stopped long before."""


def note(kind: ToolUse.Kind, registration_id: int, *, principal: Principal, store: Redis) -> None:
    """Count one use."""
    try:
        store.hincrby(_COUNTS, f"{kind}:{registration_id}:{principal.application_id or ''}", 1)
    except RedisError:
        logger.warning("a use was not counted: Valkey is down")


def flush(*, now: datetime, store: Redis) -> int:
    """Write the counts to the database; return how many rows changed. One flush at a time.

    A flush that died after it took the counts is finished by the next one.

    Raises:
        RedisError: Valkey is down; nothing is lost that was counted.
    """
    if not store.set(_FLUSHING, "1", nx=True, ex=_LONGEST_FLUSH_SECONDS):
        return 0
    try:
        return _flush(now, store)
    finally:
        store.delete(_FLUSHING)


def _flush(now: datetime, store: Redis) -> int:
    if not store.exists(_TAKEN):
        try:
            store.rename(_COUNTS, _TAKEN)
        except ResponseError:  # nothing was counted
            return 0
    written = write((_parse(key, count) for key, count in store.hgetall(_TAKEN).items()), now=now)
    store.delete(_TAKEN)
    return written


@dataclass(frozen=True, slots=True)
class Counted:
    """So many uses of a kind of one registration by one client, None for nobody in particular."""

    kind: str
    registration_id: int
    application_id: int | None
    count: int


@transaction.atomic
def write(counted: Iterable[Counted], *, now: datetime) -> int:
    """Add counts in one order; those of deleted rows are dropped. Return how many were added."""
    parsed = sorted(counted, key=str)
    registrations = ToolRegistration.objects.filter(pk__in={row.registration_id for row in parsed})
    known = set(registrations.values_list("pk", flat=True))
    callers = Application.objects.filter(pk__in={row.application_id for row in parsed} - {None})
    applications = {None, *callers.values_list("pk", flat=True)}
    added = [row for row in parsed if row.registration_id in known and row.application_id in applications]
    for row in added:
        _add(row, now)
    return len(added)


def _parse(key: Any, count: Any) -> Counted:
    kind, registration, application = key.decode().split(":")
    return Counted(kind, int(registration), int(application) if application else None, int(count))


def _add(row: Counted, now: datetime) -> None:
    use, is_new = ToolUse.objects.get_or_create(
        kind=row.kind,
        registration_id=row.registration_id,
        application_id=row.application_id,  # type: ignore[misc]  # None is IS NULL, the stubs miss it
        defaults={"count": row.count, "first_at": now, "last_at": now},
    )
    if not is_new:
        ToolUse.objects.filter(pk=use.pk).update(
            count=F("count") + row.count, last_at=Greatest(F("last_at"), Value(now))
        )
