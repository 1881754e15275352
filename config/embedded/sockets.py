"""Make the folder of a server's socket, which only we may enter."""

import os
import shutil
from pathlib import Path

from config.embedded.errors import EmbeddedUnavailable
from config.embedded.identity import NOBODY, Identity


def make_folder(folder: Path, identity: Identity) -> None:
    """Make `folder` anew with mode 0700; call it only while no server of ours listens there.

    Nothing that is found there is trusted: what we left behind is removed, what others made is refused.

    Raises:
        EmbeddedUnavailable: another user has taken the place.
    """
    remove_folder(folder)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError as error:
        raise EmbeddedUnavailable(
            f"{folder} is in the way and is not ours (another user, or a program, may have made it). The "
            "socket of the embedded server belongs there: remove it, or set TOOLROSTER_HOME to another one."
        ) from error
    os.chown(folder, identity.owner, -1)


def remove_folder(folder: Path) -> None:
    """Remove `folder` if a server of ours left it behind."""
    owners = {0, NOBODY} if os.geteuid() == 0 else {os.geteuid()}
    if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid not in owners:
        return
    shutil.rmtree(folder, ignore_errors=True)
