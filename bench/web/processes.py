"""Web servers as processes, and the CPU time that they, PostgreSQL and Valkey use."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from config import web
from config.env import CHECKOUT
from registry import conf

THREADS = 8
_PATIENCE_SECONDS = 60


@contextmanager
def serving(application: str, **environment: str) -> Iterator[tuple[int, int]]:
    """Serve an application; give its port and its process id."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = web.command(port, THREADS, application=application)
    with subprocess.Popen(  # noqa: S603 - our own command line
        command,
        cwd=CHECKOUT,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    ) as process:
        try:
            _await(port, process)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)


def _await(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the server does not listen")


def cpu_ns(pid: int) -> int:
    """Return the CPU time of a process, of its threads and of its children, those that ended left out."""
    total = 0
    for tree in (pid, *_children(pid)):
        for usage in Path(f"/proc/{tree}/task").glob("*/schedstat"):
            try:
                total += int(usage.read_text().split()[0])
            except OSError:
                continue
    return total


def _children(pid: int) -> Iterator[int]:
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            yield child
            yield from _children(child)


def database_pid() -> int:
    """Return the process of PostgreSQL whose children are its backends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_read_file('postmaster.pid')")
        return int(cursor.fetchone()[0].split()[0])


def cache_pid() -> int:
    """Return the process of Valkey."""
    about: dict[str, int] = conf.store().info("server")
    return about["process_id"]
