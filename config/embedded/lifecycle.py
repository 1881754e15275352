"""Start and stop a server, whatever was killed before, and however many ask at once.

Two locks in the server's folder decide. `start.lock` is held by whoever starts or stops. `server.lock` is
held by the server itself (see `lock`): while it is held the server lives, and once it is free, whatever
process ids and sockets are left behind are stale.
"""

import enum
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config.embedded import lock, logs, process
from config.embedded.errors import EmbeddedUnavailable
from config.embedded.folders import STEP_SECONDS

_DOWN_SECONDS = 30.0  # a server that does not even say "wait" for so long is not coming
_BUSY_SECONDS = 110.0  # it says "wait": it recovers from a crash, or shuts down


class Health(enum.Enum):
    """What a server answers: ready, wait (starting or stopping), or nothing."""

    READY = enum.auto()
    BUSY = enum.auto()
    DOWN = enum.auto()


@dataclass(frozen=True, slots=True)
class Server:
    """What the steps need to know of one kind of server in one home.

    `works_in` is its working directory; `stop_signals` go from polite to final, each with its patience in
    seconds; `launch` takes the descriptor of the lock that the server is to hold.
    """

    title: str
    folder: Path
    works_in: Path
    pid_file: Path
    stop_signals: Sequence[tuple[signal.Signals, float]]
    probe: Callable[[], Health]
    launch: Callable[[int], subprocess.Popen[bytes]]

    @property
    def start_lock(self) -> Path:
        """Held by whoever starts or stops the server."""
        return self.folder / "start.lock"

    @property
    def server_lock(self) -> Path:
        """Held by the processes of the server."""
        return self.folder / "server.lock"

    @property
    def log(self) -> Path:
        """Where the server's output goes."""
        return self.folder / "server.log"


def start(server: Server) -> None:
    """Return once `server` is ready; start it if it does not run. Call it under the start lock.

    Raises:
        EmbeddedUnavailable: it cannot be started; the detail ends with its log.
    """
    guard = _claim(server)
    if guard is None:
        return
    before = logs.size(server.log)
    try:
        started = server.launch(guard)
    finally:
        os.close(guard)
    try:
        _await_ready(server, started)
    except EmbeddedUnavailable as error:
        raise EmbeddedUnavailable(error.detail + logs.tail(server.log, since=before)) from error


def stop(server: Server) -> None:
    """Return once no process of `server` is left. Call it under the start lock.

    Raises:
        EmbeddedUnavailable: it survived the last signal.
    """
    for number, seconds in server.stop_signals:
        if _ends(server, number, seconds):
            return
    raise EmbeddedUnavailable(
        f"{server.title} does not stop: a process still holds {server.server_lock}. `fuser` or `lsof` on "
        "that file names it; end it, and try again." + logs.tail(server.log)
    )


def live_pid(server: Server) -> int | None:
    """Return the process id of the running server; None if its file names a process that is not it."""
    pid = process.read_pid(server.pid_file)
    if pid is None or process.works_in(pid, server.works_in) is False:
        return None
    return pid


def _ends(server: Server, number: signal.Signals, seconds: float) -> bool:
    # A server that has only just been started may not have written its process id yet.
    deadline = time.monotonic() + seconds
    is_sent = False
    while not lock.is_free(server.server_lock):
        pid = None if is_sent else live_pid(server)
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
            is_sent = True
        if time.monotonic() > deadline:
            return False
        time.sleep(lock.POLL_SECONDS)
    return True


def _claim(server: Server) -> int | None:
    # None: it runs. While it neither answers nor is gone, it is on its way up or down: wait.
    begun = time.monotonic()
    while (health := server.probe()) is not Health.READY:
        guard = lock.try_claim(server.server_lock)
        if guard is not None:
            return guard
        if _overdue(health, begun):
            raise EmbeddedUnavailable(
                f"{server.title} runs but does not answer: a process holds {server.server_lock}. The folder "
                "may have been moved, or opened by another path or container, or the socket was deleted. "
                "Stop it with `python -m config.embedded stop`, and start it again." + logs.tail(server.log)
            )
        time.sleep(lock.POLL_SECONDS)
    return None


def _await_ready(server: Server, started: subprocess.Popen[bytes]) -> None:
    begun = time.monotonic()
    while (health := server.probe()) is not Health.READY:
        if started.poll() is not None:
            raise EmbeddedUnavailable(f"{server.title} ended while it started. {_disk_hint(server.folder)}")
        if _overdue(health, begun):
            raise EmbeddedUnavailable(_give_up(server, health, started))
        time.sleep(lock.POLL_SECONDS)
    started.returncode = 0  # it outlives us on purpose, which Popen would warn of


def _give_up(server: Server, health: Health, started: subprocess.Popen[bytes]) -> str:
    if health is Health.BUSY:  # it makes progress, so it is left alone
        return f"{server.title} is still recovering what a crash left. Wait, and start it again."
    started.terminate()
    return f"{server.title} started, but does not answer, and was ended. Its log may say why."


def _overdue(health: Health, begun: float) -> bool:
    patience = _BUSY_SECONDS if health is Health.BUSY else _DOWN_SECONDS
    return time.monotonic() - begun > min(patience, STEP_SECONDS)


def _disk_hint(folder: Path) -> str:
    state = os.statvfs(folder)
    free_megabytes = state.f_bavail * state.f_frsize // 1_000_000
    if free_megabytes > 50:
        return "Its log says why."
    return (
        f"The disk of {folder} is full ({free_megabytes} MB are free): free some space, or set "
        "TOOLROSTER_HOME to a folder on another disk."
    )
