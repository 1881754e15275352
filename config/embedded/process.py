"""Start servers that outlive us, and recognise them again."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from config.embedded import logs
from config.embedded.identity import Identity

# Held so that a server that outlives us is not reported as leaked, and a dead one is reaped.
_children: list[subprocess.Popen[bytes]] = []


def environment() -> dict[str, str]:
    """Return what the servers see: none of PG*, and a locale that exists everywhere."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "TMPDIR") if name in os.environ}
    return {**kept, "LC_ALL": "C", "TZ": "UTC"}


def spawn(
    command: Sequence[str], *, identity: Identity, folder: Path, log: Path, guard: int, config: bytes = b""
) -> subprocess.Popen[bytes]:
    """Start a server in `folder`, in a session of its own so that Ctrl-C in our terminal spares it.

    Its output goes to `log`, `config` to its standard input. It inherits `guard`, the lock that it holds
    while any of its processes lives.
    """
    _children[:] = [child for child in _children if child.poll() is None]
    output = logs.open_for_append(log)
    try:
        server = subprocess.Popen(  # noqa: S603 - the command is ours, without a shell
            [*identity.prefix, *command],
            cwd=folder,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=(guard,),
            start_new_session=True,
            umask=0o077,
            user=identity.runs_as,
            group=identity.runs_as,
            extra_groups=identity.groups,
        )
    finally:
        os.close(output)
    _children.append(server)
    _feed(server, config)
    return server


def read_pid(path: Path) -> int | None:
    """Return the process id in the first line of `path`, or None while there is none."""
    try:
        lines = path.read_text("ascii", "replace").splitlines()
        return int(lines[0]) if lines else None
    except (FileNotFoundError, ValueError):
        return None


def works_in(pid: int, folder: Path) -> bool | None:
    """Return whether process `pid` has `folder` as working directory; None where the system does not tell."""
    if not Path("/proc/self/cwd").exists():
        return None
    try:
        return Path(f"/proc/{pid}/cwd").samefile(folder)
    except OSError:
        return False


def _feed(server: subprocess.Popen[bytes], config: bytes) -> None:
    if server.stdin is None:
        return
    # A server that died before it read its configuration is reported by whoever waits for it.
    with suppress(BrokenPipeError), server.stdin as stream:
        stream.write(config)
