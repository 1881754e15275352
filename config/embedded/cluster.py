"""Make the data folder of the embedded PostgreSQL, whole or not at all."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from config.embedded import binaries, process
from config.embedded.addresses import ROLE
from config.embedded.errors import EmbeddedUnavailable
from config.embedded.identity import Identity, hand_over

_DRAFT = "draft-"
# First values for a small machine, written to postgresql.conf, where the owner of the home may tune them.
_SETTINGS = {
    "max_connections": "100",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "8MB",
    "maintenance_work_mem": "128MB",
    "max_wal_size": "1GB",
    "random_page_cost": "1.1",  # solid-state disks
    "autovacuum": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
}


def ensure_cluster(folder: Path, identity: Identity) -> None:
    """Make `folder/data` unless it is there; call it only while no server runs on it.

    Raises:
        EmbeddedUnavailable: initdb failed, or the data is of another major version.
    """
    for leftover in folder.glob(_DRAFT + "*"):
        shutil.rmtree(leftover, ignore_errors=True)  # an orphaned initdb may still write into it
    data = folder / "data"
    if data.exists():
        _refuse_other_major(data)
        return
    draft = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=folder))
    try:
        shutil.copyfile(folder / "password", draft / "password")
        hand_over(draft, identity)
        _initdb(draft, identity)
        (draft / "data").rename(data)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _initdb(draft: Path, identity: Identity) -> None:
    # The builtin C.UTF-8 sorts by code point and knows every letter's case, whatever libc is installed.
    command = [
        *identity.prefix,
        str(binaries.postgres("initdb")),
        f"--pgdata={draft / 'data'}",
        f"--username={ROLE}",
        f"--pwfile={draft / 'password'}",
        *("--auth-local=scram-sha-256", "--auth-host=reject"),
        *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        *("--data-checksums", "--no-instructions"),
        *(f"--set={name}={value}" for name, value in _SETTINGS.items()),
    ]
    done = subprocess.run(  # noqa: S603 - the command is ours, without a shell
        command,
        cwd=draft,
        env=process.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        user=identity.runs_as,
        group=identity.runs_as,
        extra_groups=identity.groups,
    )
    if done.returncode != 0:
        raise EmbeddedUnavailable(_explain(draft, identity, done.stderr))


def _explain(draft: Path, identity: Identity, output: str) -> str:
    parts = [f"The embedded PostgreSQL cannot make its data folder in {draft.parent}."]
    if identity.runs_as is not None:
        parts.append(
            "PostgreSQL refuses to run as root and this system does not permit user namespaces, so it ran as "
            f"uid {identity.runs_as}, which must be able to enter that folder and the Python environment: "
            "set TOOLROSTER_HOME to a folder outside /root, run as an ordinary user, or set DATABASE_URL."
        )
    elif "could not look up effective user ID" in output:
        parts.append("This uid has no entry in /etc/passwd: add one, or run as a user that has one.")
    elif "No space left" in output:
        parts.append("The disk is full: free some space, or set TOOLROSTER_HOME to a folder on another disk.")
    return " ".join(parts) + "\ninitdb said:\n" + output.strip()[-2_000:]


def _refuse_other_major(data: Path) -> None:
    version_file = data / "PG_VERSION"
    found = version_file.read_text("ascii", "replace").strip() if version_file.exists() else None
    if found == binaries.POSTGRES_MAJOR:
        return
    what = f"holds a database of PostgreSQL {found}" if found else "is no data folder of PostgreSQL"
    raise EmbeddedUnavailable(
        f"{data} {what}, and the embedded server is PostgreSQL {binaries.POSTGRES_MAJOR}. Carry the data "
        "over with `pg_dumpall` of its own version, or move the folder away to begin with an empty database."
    )
