"""Compute where the embedded servers of a home are, or will be."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from config.embedded.errors import explained

CHECKOUT = Path(__file__).resolve().parents[2]
POSTGRES = "postgres"
VALKEY = "valkey"
DATABASE = ROLE = "toolroster"
# Only the last part of the socket's file name; nothing listens on TCP. Always written out, since libpq would
# otherwise take PGPORT from the user's shell.
POSTGRES_PORT = 5432


def default_home(environ: Mapping[str, str]) -> Path:
    """Return TOOLROSTER_HOME, or `.toolroster` in the checkout; a relative path counts from the checkout."""
    chosen = environ.get("TOOLROSTER_HOME") or ".toolroster"
    return CHECKOUT / Path(chosen).expanduser()


def server_folder(home: Path, server: str) -> Path:
    """Return the folder of everything that `server` keeps: data, password, locks, log."""
    return Path(os.path.realpath(home)) / server


def password(home: Path, server: str) -> str:
    """Return the password of `server`; empty before `home` was prepared for the first time.

    Raises:
        EmbeddedUnavailable: the home belongs to another user.
    """
    with explained(f"read the password of the embedded {server}"):
        try:
            return (server_folder(home, server) / "password").read_text("ascii").strip()
        except (FileNotFoundError, NotADirectoryError):
            return ""


def socket_folder(home: Path, server: str) -> Path:
    """Return the folder of the socket of `server`.

    It lies in /tmp, because a socket's path is limited to about 107 bytes and a checkout may be deep; not in
    TMPDIR or XDG_RUNTIME_DIR, which differ between a shell, cron and sudo. The password is a part of the
    hash, so that no other user can know the name beforehand and take it.
    """
    key = "\0".join([str(server_folder(home, server)), password(home, server)])
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
    return Path("/tmp") / f"toolroster-{os.geteuid()}-{digest[:16]}"  # noqa: S108 - see the docstring


def postgres_socket(home: Path) -> Path:
    """Return the socket of the embedded PostgreSQL."""
    return socket_folder(home, POSTGRES) / f".s.PGSQL.{POSTGRES_PORT}"


def valkey_socket(home: Path) -> Path:
    """Return the socket of the embedded Valkey."""
    return socket_folder(home, VALKEY) / "valkey.sock"


def database_url(home: Path, *, database: str = DATABASE) -> str:
    """Return a libpq URI (PostgreSQL manual 34.1.1.2); `host` is the folder of the socket.

    Without `require_auth` a server that took the socket's place could ask for the password in clear text;
    with SCRAM it has to prove that it knows the password itself.
    """
    host = quote(str(socket_folder(home, POSTGRES)), safe="")
    return (
        f"postgresql://{ROLE}:{password(home, POSTGRES)}@/{database}"
        f"?host={host}&port={POSTGRES_PORT}&require_auth=scram-sha-256"
    )


def redis_url(home: Path) -> str:
    """Return a URL in redis-py's form for Unix sockets."""
    return f"unix://:{password(home, VALKEY)}@{valkey_socket(home)}?db=0"
