"""A PostgreSQL and a Valkey of the benchmark's own, and what can be read of a connection's backend."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import django

from config.embedded import servers


class PostgresBackend:
    """The one backend of this process's connection; parallel workers are off, so it does all the work."""

    def __init__(self) -> None:
        self._usage = Path(f"/proc/{_value('SELECT pg_backend_pid()')}/schedstat")
        _value("SELECT set_config('max_parallel_workers_per_gather', '0', false)")

    def cpu_ns(self) -> int:
        # The same time as in `stat`, in nanoseconds instead of ticks of 10 ms (proc_pid_schedstat).
        return int(self._usage.read_text().split()[0])

    def wal_bytes(self) -> int:
        return int(_value("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"))

    def queries(self, act: Callable[[], object]) -> int:
        from django.db import connection  # noqa: PLC0415 - settings first

        seen: list[str] = []

        def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
            seen.append(sql)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            act()
        return len(seen)


def _value(sql: str) -> Any:
    from django.db import connection  # noqa: PLC0415 - settings first

    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()[0]


def machine() -> dict[str, str]:
    """Say what the numbers were made on."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    kernel = os.uname()
    return {
        "processor": model[0].partition(":")[2].strip() if model else kernel.machine,
        "cores": str(os.cpu_count()),
        "kernel": f"{kernel.sysname} {kernel.release}",
    }


def set_up_django() -> None:
    """Load Django with the settings of development, without any server."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    django.setup()


@contextmanager
def started() -> Iterator[PostgresBackend]:
    """Run both servers in a new home, with the platform's schema; the home is gone afterwards."""
    home = Path(tempfile.mkdtemp(prefix="toolroster-bench-"))
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    os.environ |= {
        "TOOLROSTER_HOME": str(home),
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "EMBEDDING_BACKEND": "none",
        "LOG_LEVEL": "ERROR",
    }
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `timeout` stops the servers too
    try:
        servers.start(home)
        django.setup()
        _migrate()
        yield PostgresBackend()
    finally:
        servers.stop(home)
        shutil.rmtree(home, ignore_errors=True)


def _migrate() -> None:
    from django.core.management import call_command  # noqa: PLC0415 - settings first

    call_command("migrate", verbosity=0)
