"""Choose who PostgreSQL runs as: it refuses root, and users without an entry in /etc/passwd."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NOBODY = 65534  # uid and gid of `nobody` on Linux; needs an entry in /etc/passwd, which initdb looks up


@dataclass(frozen=True, slots=True)
class Identity:
    """How to run a program: behind `prefix`, and as `runs_as` where that is another uid than ours."""

    prefix: tuple[str, ...] = ()
    runs_as: int | None = None

    @property
    def owner(self) -> int:
        """The uid that must own the server's files, seen from outside its user namespace."""
        return os.geteuid() if self.runs_as is None else self.runs_as

    @property
    def groups(self) -> tuple[int, ...] | None:
        """The supplementary groups to set: none at all for another uid, ours (None) otherwise."""
        return None if self.runs_as is None else ()


PLAIN = Identity()
# Inside the namespace the process is nobody without capabilities; on disk its files stay root's.
# Peer authentication would be wrong there: every uid that is not mapped looks like nobody, hence SCRAM.
NAMESPACE = Identity(prefix=("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}"))
SETUID = Identity(runs_as=NOBODY)


def unprivileged() -> Identity:
    """Return how to run PostgreSQL: as ourselves, as nobody in a user namespace, or really as nobody."""
    uid = os.geteuid()
    if uid != 0 and _has_entry(uid):
        return PLAIN
    if _namespaces_permitted():
        return NAMESPACE
    return SETUID if uid == 0 else PLAIN


def _has_entry(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


@cache
def _namespaces_permitted() -> bool:
    # Containers often forbid it by seccomp, and old versions of util-linux lack --map-user.
    if shutil.which("unshare") is None:
        return False
    trial = subprocess.run([*NAMESPACE.prefix, "true"], capture_output=True, check=False)  # noqa: S603 - constant
    return trial.returncode == 0


def hand_over(path: Path, identity: Identity) -> None:
    """Make `path` and all below it belong to the owner that `identity` needs.

    The top goes last, so that an interrupted hand-over is seen and repeated.
    """
    owner = identity.owner
    if path.lstat().st_uid == owner:
        return
    for folder, _, files in os.walk(path, topdown=False):
        for name in [*files, "."]:
            os.chown(Path(folder) / name, owner, owner, follow_symlinks=False)


def open_way(folder: Path, identity: Identity) -> None:
    """Give `folder` mode 0700; 0711 where the server runs as another uid and has to pass through it."""
    folder.chmod(0o700 if identity.runs_as is None else 0o711)
