"""Keep both servers of a home running while somebody uses them."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded import folders, liveness, lock, servers
from config.embedded.errors import EmbeddedUnavailable

_WATCH_SECONDS = 2.0


@contextmanager
def kept(home: Path) -> Iterator[None]:
    """Start the servers, start one again that dies meanwhile, and stop them behind the last user.

    Users share a lock: a second one that fails, say on a port in use, must not take the first one's
    database away.

    Raises:
        EmbeddedUnavailable: a server cannot be started or stopped.
    """
    folders.prepare(home)
    with lock.held(home / "run.lock", seconds=folders.STEP_SECONDS, shared=True) as users:
        leaving = threading.Event()
        watcher = threading.Thread(target=_watch, args=(home, leaving), daemon=True)
        try:
            servers.start(home)
            watcher.start()
            yield
        finally:
            leaving.set()
            if watcher.ident is not None:
                watcher.join()
            if lock.try_upgrade(users):
                servers.stop(home)


def _watch(home: Path, leaving: threading.Event) -> None:
    while not leaving.wait(_WATCH_SECONDS):
        try:
            if not liveness.running(home):
                sys.stderr.write("An embedded server is gone; starting it again.\n")
                servers.start(home)
            servers.trim_logs(home)
        except EmbeddedUnavailable as error:
            sys.stderr.write(f"{error}\n")
