"""Answers on disk: for several processes, private to the user, bounded, and never half written."""

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MOST_BYTES = 50 * 1024 * 1024
MOST_ENTRY_BYTES = 10 * 1024 * 1024
_SUFFIX = ".json"
_CHECK_EVERY = 50
"""How many answers are written between two looks at the size of the folder."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer as it came: its JSON value, its tag, and when it was right (seconds since 1970)."""

    key: str
    content: Any
    etag: str
    stored_at: float


class DiskCache:
    """A folder of answers, one file each, replaced as a whole; the oldest go beyond `most_bytes`.

    A folder that cannot be written or a file that cannot be read is as if there were none: a cache never
    fails a call. The default folder is `TOOLROSTER_CACHE`, else `toolroster` in `XDG_CACHE_HOME` or
    `~/.cache`.
    """

    def __init__(
        self,
        folder: Path | str | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder = Path(folder) if folder is not None else default_folder()
        self._most_bytes = most_bytes
        self._clock = clock
        self._written = 0

    def get(self, key: str) -> Entry | None:
        """Return what was kept under a key."""
        entry = _read(self._path(key))
        return entry if entry is not None and entry.key == key else None

    def put(self, key: str, content: Any, *, etag: str = "") -> None:
        """Keep an answer, as right now."""
        entry = Entry(key, content, etag, self._clock())
        text = json.dumps(asdict(entry), ensure_ascii=False)
        if len(text) > MOST_ENTRY_BYTES:
            return
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self._path(key), text)
            if self._written % _CHECK_EVERY == 0:
                self._trim()
            self._written += 1

    def confirm(self, key: str) -> None:
        """Note that an answer is right still."""
        if (entry := self.get(key)) is not None:
            self.put(key, entry.content, etag=entry.etag)

    def entries(self) -> Iterator[Entry]:
        """Give all answers, the latest first."""
        for path in sorted(self._files(), key=_changed_at, reverse=True):
            if (entry := _read(path)) is not None:
                yield entry

    def clear(self) -> None:
        """Keep nothing."""
        for path in self._files():
            path.unlink(missing_ok=True)

    def age_of(self, entry: Entry) -> float:
        """Return how many seconds ago an answer was right."""
        return max(0.0, self._clock() - entry.stored_at)

    def _path(self, key: str) -> Path:
        return self._folder / (hashlib.sha256(key.encode()).hexdigest() + _SUFFIX)

    def _files(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return [path for path in self._folder.iterdir() if path.suffix == _SUFFIX]
        return []

    def _trim(self) -> None:
        """Drop the oldest files, and what a process that died left half written."""
        total = 0
        for path in sorted(self._files(), key=_changed_at, reverse=True):
            with contextlib.suppress(OSError):
                total += path.stat().st_size
                if total > self._most_bytes:
                    path.unlink(missing_ok=True)
        for path in self._folder.glob("*.part"):
            with contextlib.suppress(OSError):
                if self._clock() - path.stat().st_mtime > 3600:
                    path.unlink(missing_ok=True)


def default_folder() -> Path:
    """Return where a user's answers are kept."""
    if given := os.environ.get("TOOLROSTER_CACHE"):
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "toolroster"


def _replace(path: Path, text: str) -> None:
    """Write a file beside the old one, then put it in its place at once; it is the owner's alone."""
    number, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(number, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _read(path: Path) -> Entry | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        return Entry(str(found["key"]), found["content"], str(found["etag"]), float(found["stored_at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _changed_at(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0
