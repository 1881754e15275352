"""Hold files exclusively, for a step (`held`) or for a server's whole life (`try_claim`).

flock(2) locks belong to the open file and are inherited: a server that keeps the descriptor holds the lock
until its last process is gone, whatever killed its first one. That tells the living from the dead where a
process id, which may have been given to another process since, cannot.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded.errors import EmbeddedUnavailable, explained

POLL_SECONDS = 0.02


def try_claim(path: Path, *, shared: bool = False) -> int | None:
    """Return a descriptor that holds the lock on `path`, or None if another holds it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def await_claim(path: Path, *, seconds: float, shared: bool = False) -> int | None:
    """Return a descriptor that holds the lock on `path`, or None if it was not free within `seconds`."""
    deadline = time.monotonic() + seconds
    while (descriptor := try_claim(path, shared=shared)) is None and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return descriptor


def is_free(path: Path) -> bool:
    """Return whether nobody holds the lock on `path`; false for a moment while others ask the same."""
    return await_free(path, seconds=0)


def await_free(path: Path, *, seconds: float) -> bool:
    """Return whether the lock on `path` was free within `seconds`."""
    if not path.exists():
        return True
    descriptor = await_claim(path, seconds=seconds, shared=True)
    if descriptor is None:
        return False
    os.close(descriptor)
    return True


@contextmanager
def held(path: Path, *, seconds: float, shared: bool = False) -> Iterator[int]:
    """Hold the lock on `path` for the block, exclusively unless `shared`, and yield its descriptor.

    Raises:
        EmbeddedUnavailable: another process held it for longer than `seconds`.
    """
    with explained(f"lock {path}"):
        descriptor = await_claim(path, seconds=seconds, shared=shared)
    if descriptor is None:
        raise EmbeddedUnavailable(
            f"Another process has been starting or stopping this server for {seconds:.0f} seconds (it holds "
            f"{path}). Wait for it, or end it, and try again."
        )
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def try_upgrade(descriptor: int) -> bool:
    """Turn a shared lock into an exclusive one, unless others share it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
