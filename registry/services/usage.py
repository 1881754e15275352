"""Record who resolves, describes and calls what, off the path of the request.

Uses are counted in Valkey and written by a task each minute. Fails open: while Valkey is down uses are not
counted, and requests go on.
"""

import logging
from datetime import datetime

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
"""What a flush works on: renamed in one step, so that no count is lost or written twice."""


def note(kind: ToolUse.Kind, registration_id: int, *, principal: Principal, store: "Redis[bytes]") -> None:
    """Count one use."""
    try:
        store.hincrby(_COUNTS, f"{kind}:{registration_id}:{principal.application_id or ''}", 1)
    except RedisError:
        logger.warning("a use was not counted: Valkey is down")


def flush(*, now: datetime, store: "Redis[bytes]") -> int:
    """Write the counts to the database; return how many rows changed. One flush at a time."""
    if not store.exists(_TAKEN):
        try:
            store.rename(_COUNTS, _TAKEN)
        except ResponseError:  # nothing was counted
            return 0
    counts = {key.decode(): int(count) for key, count in store.hgetall(_TAKEN).items()}
    written = _write(counts, now)
    store.delete(_TAKEN)
    return written


def _write(counts: dict[str, int], now: datetime) -> int:
    """Add counts by `kind:registration:application`; those of deleted rows are dropped."""
    parsed = [(*key.split(":"), count) for key, count in sorted(counts.items())]
    registrations = ToolRegistration.objects.filter(pk__in={row[1] for row in parsed})
    known = {str(pk) for pk in registrations.values_list("pk", flat=True)}
    applications = Application.objects.filter(pk__in={row[2] for row in parsed} - {""})
    callers = {"", *(str(pk) for pk in applications.values_list("pk", flat=True))}
    counted = [row for row in parsed if row[1] in known and row[2] in callers]
    for kind, registration, application, count in counted:
        _add(kind, int(registration), int(application) if application else None, count, now)
    return len(counted)


def _add(kind: str, registration_id: int, application_id: int | None, count: int, now: datetime) -> None:
    use, is_new = ToolUse.objects.get_or_create(
        kind=kind,
        registration_id=registration_id,
        application_id=application_id,
        defaults={"count": count, "first_at": now, "last_at": now},
    )
    if not is_new:
        ToolUse.objects.filter(pk=use.pk).update(
            count=F("count") + count, last_at=Greatest(F("last_at"), Value(now))
        )
