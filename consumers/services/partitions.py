"""Days of calls: partitions made ahead, and dropped when their time is over.

What falls into no partition lands in the default one, so that no call is lost while nobody makes partitions.
"""

from datetime import UTC, date, datetime, timedelta

from django.db import connection, transaction

from consumers.models import ToolCall

AHEAD_DAYS = 7
_LOCK = 7_401_007
"""Key of the advisory lock of whoever makes and drops partitions."""


@transaction.atomic
def maintain(*, now: datetime, keep_days: int) -> tuple[int, int]:
    """Make the partitions of the next days, drop those beyond `keep_days`; return how many of each."""
    today = now.astimezone(UTC).date()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    days = _days()
    made = sum(
        _make(today + timedelta(days=ahead))
        for ahead in range(AHEAD_DAYS + 1)
        if today + timedelta(days=ahead) not in days
    )
    oldest = today - timedelta(days=keep_days)
    dropped = [day for day in days if day < oldest]
    for day in dropped:
        _run(f"DROP TABLE {_name(day)}")
    _run("DELETE FROM consumers_toolcall_default WHERE called_at < %s", [_begin(oldest)])
    return made, len(dropped)


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


def _name(day: date) -> str:
    return f"consumers_toolcall_{day:%Y%m%d}"


def _begin(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _run(sql: str, values: list[datetime] | None = None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
