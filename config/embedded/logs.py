"""Keep the servers' logs within bounds, and quote their ends in errors."""

import os
from pathlib import Path

MAX_BYTES = 10_000_000
_TAIL_BYTES = 2_000
_TAIL_LINES = 12


def open_for_append(path: Path) -> int:
    """Return a descriptor to append to `path`, readable only by its owner."""
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def size(path: Path) -> int:
    """Return the bytes in `path`; 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def tail(path: Path, *, since: int = 0) -> str:
    """Return the last lines of `path` after the offset `since`, as a paragraph for an error; or nothing."""
    end = size(path)
    start = max(since, end - _TAIL_BYTES)
    if start >= end:
        return ""
    with path.open("rb") as log:
        log.seek(start)
        lines = log.read().decode("utf-8", "replace").splitlines()[-_TAIL_LINES:]
    return "\n".join([f"\nThe end of {path}:", *lines])


def trim(path: Path, *, max_bytes: int = MAX_BYTES) -> bool:
    """Move the end of a log that outgrew `max_bytes` to `.1` and empty it; return whether it did.

    Both servers append to the descriptor they were started with, so emptying the file under them is safe.
    PostgreSQL's own collector bounds a log by age only: it empties nothing when it rotates by size.
    """
    end = size(path)
    if end <= max_bytes:
        return False
    with path.open("rb+") as log:
        log.seek(end - max_bytes)
        kept = path.with_name(path.name + ".1")
        kept.touch(mode=0o600)
        kept.write_bytes(log.read(max_bytes))
        log.truncate(0)
    return True
