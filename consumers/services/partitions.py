"""Days of calls: partitions made ahead, and dropped when their time is over.

What falls into no partition lands in the default one, so that no call is lost while nobody makes partitions.
"""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from django.db import OperationalError, ProgrammingError, connection, transaction

from consumers.models import ToolCall

logger = logging.getLogger(__name__)

AHEAD_DAYS = 7
_PATIENCE = "500ms"
_LOCK = 7_401_007
"""Key of the advisory lock of whoever makes and drops partitions."""


def maintain(*, now: datetime, keep_days: int) -> tuple[int, int]:
    """Make the partitions of the next days, drop those beyond `keep_days`; return how many of each.

    Each step is a transaction that gives up when it cannot have the table at once: calls are written to it
    all the time, and would wait behind it. The next pass tries again.
    """
    today = now.astimezone(UTC).date()
    days, oldest = _days(), today - timedelta(days=keep_days)
    wanted = [today + timedelta(days=ahead) for ahead in range(AHEAD_DAYS + 1)]
    made = sum(_alone(partial(_make, day)) for day in wanted if day not in days)
    dropped = sum(_alone(partial(_drop, day)) for day in sorted(days) if day < oldest)
    _alone(partial(_forget, oldest))
    return made, dropped


def _alone(step: Callable[[], bool]) -> bool:
    """Take a step that nobody else takes; tell whether it was done."""
    try:
        with transaction.atomic():
            _run("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            _run(f"SET LOCAL lock_timeout = '{_PATIENCE}'")
            return step()
    except (OperationalError, ProgrammingError):  # it cannot be had now, or somebody was faster
        logger.warning("a day of calls waits for the next pass", exc_info=True)
        return False


def _days() -> set[date]:
    """Return the days that have a partition."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
            "WHERE i.inhparent = 'consumers_toolcall'::regclass"
        )
        names = [name.rpartition("_")[2] for (name,) in cursor.fetchall()]
    return {
        datetime.strptime(name, "%Y%m%d").replace(tzinfo=UTC).date() for name in names if name.isdecimal()
    }


def _make(day: date) -> bool:
    """Make the partition of a day; not where calls of that day lie in the default one: they stay there."""
    begin, end = _begin(day), _begin(day + timedelta(days=1))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM consumers_toolcall_default WHERE called_at >= %s AND called_at < %s)",
            [begin, end],
        )
        if cursor.fetchone()[0]:
            return False
    table, bounds = ToolCall._meta.db_table, f"FROM ('{begin.isoformat()}') TO ('{end.isoformat()}')"  # noqa: SLF001 - documented
    _run(f"CREATE TABLE {_name(day)} PARTITION OF {table} FOR VALUES {bounds}")
    return True


def _drop(day: date) -> bool:
    _run(f"DROP TABLE {_name(day)}")
    return True


def _forget(oldest: date) -> bool:
    """Delete old calls of the default partition; a trigger refuses every other deletion."""
    _run("SET LOCAL toolroster.retention = 'on'")
    _run("DELETE FROM consumers_toolcall_default WHERE called_at < %s", [_begin(oldest)])
    return True


def _name(day: date) -> str:
    return f"consumers_toolcall_{day:%Y%m%d}"


def _begin(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _run(sql: str, values: Sequence[Any] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
