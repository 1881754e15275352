"""Run the embedded PostgreSQL of a home: one cluster, reached by one Unix socket and a password."""

import signal
import subprocess
from pathlib import Path

import psycopg
from psycopg import pq, sql

from config.embedded import addresses, binaries, folders, identity, lifecycle, lock, process, sockets
from config.embedded.cluster import ensure_cluster
from config.embedded.errors import EmbeddedUnavailable, explained
from config.embedded.identity import Identity
from config.embedded.lifecycle import Health, Server

_TITLE = "The embedded PostgreSQL"


def start(home: Path, *, run_as: Identity | None = None) -> None:
    """Return once the server of `home` is ready and has its database; start it if it does not run.

    `run_as` is for tests; None chooses by what this process may do.

    Raises:
        EmbeddedUnavailable: it cannot be started; the detail says why and what to do.
    """
    chosen = identity.unprivileged() if run_as is None else run_as
    with explained(f"start the embedded PostgreSQL in {home}"):
        folder = folders.make_server_folder(home, addresses.POSTGRES)
        with lock.held(folder / "start.lock", seconds=folders.STEP_SECONDS):
            folders.ensure_password(folder)
            lifecycle.start(server(home, chosen))
            _ensure_database(home)


def stop(home: Path) -> None:
    """Return once no process of the server of `home` is left; clients are cut off.

    Raises:
        EmbeddedUnavailable: it does not stop.
    """
    folder = addresses.server_folder(home, addresses.POSTGRES)
    if not folder.exists():
        return
    with (
        explained(f"stop the embedded PostgreSQL in {home}"),
        lock.held(folder / "start.lock", seconds=folders.STEP_SECONDS),
    ):
        lifecycle.stop(server(home, identity.PLAIN))
        sockets.remove_folder(addresses.socket_folder(home, addresses.POSTGRES))


def server(home: Path, run_as: Identity) -> Server:
    """Describe the server of `home` to `lifecycle`."""
    folder = addresses.server_folder(home, addresses.POSTGRES)
    data = folder / "data"
    described = Server(
        title=_TITLE,
        folder=folder,
        works_in=data,
        pid_file=data / "postmaster.pid",
        # Fast shutdown, then immediate (manual 18.5); the next start recovers from the latter.
        stop_signals=((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0)),
        probe=lambda: _probe(home),
        launch=lambda guard: _launch(home, described, run_as, guard),
    )
    return described


def _probe(home: Path) -> Health:
    folder = addresses.socket_folder(home, addresses.POSTGRES)
    # With a user, or libpq looks ours up in /etc/passwd, where a container's user may be missing.
    where = f"host={folder} port={addresses.POSTGRES_PORT} user={addresses.ROLE}"
    answer = pq.PGconn.ping(where.encode())
    return {pq.Ping.OK: Health.READY, pq.Ping.REJECT: Health.BUSY}.get(pq.Ping(answer), Health.DOWN)


def _launch(home: Path, described: Server, run_as: Identity, guard: int) -> subprocess.Popen[bytes]:
    folder, data = described.folder, described.works_in
    for passed in (home, folder):
        identity.open_way(passed, run_as)
    ensure_cluster(folder, run_as)
    identity.hand_over(data, run_as)
    _drop_stale_pid(described)
    socket_folder = addresses.socket_folder(home, addresses.POSTGRES)
    sockets.make_folder(socket_folder, run_as)
    return process.spawn(
        _command(data, socket_folder), identity=run_as, folder=data, log=described.log, guard=guard
    )


def _command(data: Path, socket_folder: Path) -> list[str]:
    # What must hold is said here, where it wins over postgresql.conf; what may be tuned is in `cluster`.
    settings = {
        "listen_addresses": "",
        "port": str(addresses.POSTGRES_PORT),
        "unix_socket_directories": str(socket_folder),
        "unix_socket_permissions": "0700",
        "logging_collector": "off",
        # Files in the data folder, not in /dev/shm: systemd empties that when a user logs out (RemoveIPC).
        "dynamic_shared_memory_type": "mmap",
        "log_destination": "stderr",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return [str(binaries.postgres("postgres")), "-D", str(data), *options]


def _drop_stale_pid(described: Server) -> None:
    # PostgreSQL refuses to start while the process named there lives, even if it is another program by now.
    pid = process.read_pid(described.pid_file)
    if pid is None:
        return
    if process.works_in(pid, described.works_in):
        raise EmbeddedUnavailable(
            f"A PostgreSQL that was not started by Toolroster (process {pid}) runs on {described.works_in}. "
            f"Stop it with `kill -INT {pid}`, and try again."
        )
    described.pid_file.unlink()


def _ensure_database(home: Path) -> None:
    name = addresses.DATABASE
    try:
        with psycopg.connect(
            addresses.database_url(home, database="postgres"), autocommit=True
        ) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    except psycopg.Error as error:
        raise EmbeddedUnavailable(
            f"{_TITLE} runs in {home}, but does not let us in: {error}. If the file `postgres/password` in "
            "that folder was replaced, put the old one back."
        ) from error
