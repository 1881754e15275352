"""Runs a web process for tests, by the command line that `make run` uses."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from config import web
from config.env import CHECKOUT

DEADLINE_SECONDS = 20


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def until(condition: Callable[[], bool]) -> None:
    """Poll until the condition holds."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def served(application: str, log: Path, **environment: str) -> Iterator[int]:
    """Serve the application on a free port, and end the process afterwards."""
    port = free_port()
    wanted = {"DJANGO_SETTINGS_MODULE": "config.settings.test", **environment}
    with log.open("wb") as output:
        process = subprocess.Popen(
            web.command(port, 2, application=application),
            cwd=CHECKOUT,
            env=os.environ | wanted,
            stdout=output,
            stderr=output,
        )
        try:
            until(lambda: process.poll() is not None or b"Started worker" in log.read_bytes())
            assert process.poll() is None, log.read_text()
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=DEADLINE_SECONDS)
