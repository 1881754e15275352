"""A beat of ten tools: one UPDATE of a narrow table, or ten times get and save."""

from collections.abc import Callable
from datetime import timedelta
from itertools import count, cycle

from django.db import connection

from bench import data, naive
from bench.measure import Variant
from registry.services import heartbeat

UNIT = "beat of 10 tools"

_INSTANCES = 100
_COUNTS = """
SELECT n_tup_upd, n_tup_hot_upd, pg_relation_size(relid), wal_bytes
FROM pg_stat_user_tables, pg_stat_get_backend_wal(pg_backend_pid()) WHERE relname = %s
"""


def variants() -> list[Variant]:
    """Return both, warmed up: the first write of a page after a checkpoint copies it into the WAL."""
    made = [Variant("row loop", _row_loop()), Variant("record", _record(), against="row loop")]
    for variant in made:
        for _ in range(_INSTANCES):
            variant.act()
    return made


def facts() -> dict[str, float]:
    """Return the share of HOT updates, and by how much tables grow."""
    ours = _written("registry_toolinstance", _record())
    theirs = _written("bench_naivetool", _row_loop())
    return {f"record: {k}": v for k, v in ours.items()} | {f"row loop: {k}": v for k, v in theirs.items()}


def _record() -> Callable[[], object]:
    beats, seconds, principal = cycle(data.beats(_INSTANCES)), count(1), data.principal()

    def act() -> object:
        instance, tool_ids = next(beats)
        now = data.NOW + timedelta(seconds=next(seconds))
        return heartbeat.record(tool_ids=tool_ids, provider_instance=instance, principal=principal, now=now)

    return act


def _row_loop() -> Callable[[], object]:
    beats, seconds = cycle(data.beats(_INSTANCES)), count(1)
    return lambda: naive.beat(next(beats)[1], now=data.NOW + timedelta(seconds=next(seconds)))


def _written(table: str, act: Callable[[], object]) -> dict[str, float]:
    """Return what two hundred beats write, autovacuum and checkpoints left out."""
    before = _counts(table)
    for _ in range(2 * _INSTANCES):
        act()
    updated, hot, size, wal = (after - then for after, then in zip(_counts(table), before, strict=True))
    return {
        "share of HOT updates": hot / max(1, updated),
        "WAL bytes a beat of this backend alone": wal / (2 * _INSTANCES),
        "bytes the table grew by in 200 beats": size,
    }


def _counts(table: str) -> tuple[int, int, int, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(_COUNTS, [table])
        updated, hot, size, wal = cursor.fetchone()
    return updated, hot, size, int(wal)
