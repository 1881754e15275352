"""Create the folders and passwords of the embedded servers, and refuse what is not safely ours."""

import os
import secrets
import stat
from pathlib import Path

from config import private_file
from config.embedded import addresses, lock
from config.embedded.errors import EmbeddedUnavailable, explained

STEP_SECONDS = 120.0  # longer than any start or stop is allowed to take


def prepare(home: Path) -> None:
    """Make `home` ready, so that its addresses are final; starts nothing.

    Raises:
        EmbeddedUnavailable: `home` cannot be made, or another user owns it or may write to it.
    """
    for server in (addresses.POSTGRES, addresses.VALKEY):
        with explained(f"prepare TOOLROSTER_HOME {home}"):
            folder = make_server_folder(home, server)
            with lock.held(folder / "start.lock", seconds=STEP_SECONDS):
                ensure_password(folder)


def make_server_folder(home: Path, server: str) -> Path:
    """Return the folder of `server` in `home`, made if missing."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(home)
    folder = addresses.server_folder(home, server)
    folder.mkdir(mode=0o700, exist_ok=True)
    _refuse_foreign(folder)
    return folder


def ensure_password(folder: Path) -> None:
    """Write a random password where there is none; call it under the folder's start lock."""
    path = folder / "password"
    if path.exists() and path.stat().st_size > 0:
        return
    if (folder / "data").exists():
        raise EmbeddedUnavailable(
            f"{path} is missing or empty, but the database in {folder / 'data'} was made with it. Put the "
            "file back, or move the data folder away to begin with an empty database."
        )
    private_file.write(path, secrets.token_hex(32) + "\n")


def _refuse_foreign(folder: Path) -> None:
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise EmbeddedUnavailable(
            f"{folder} belongs to uid {found.st_uid}, and this process is uid {os.geteuid()}. The embedded "
            "servers keep passwords there: run as its owner, or set TOOLROSTER_HOME to a folder of your own."
        )
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EmbeddedUnavailable(
            f"Other users may write to {folder} and so replace what the embedded servers keep there. Run "
            f"`chmod go-w '{folder}'`, or set TOOLROSTER_HOME to a folder of your own."
        )
