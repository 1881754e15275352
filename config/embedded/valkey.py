"""Run the embedded Valkey of a home: cache, broker and counters, behind one Unix socket and a password."""

import signal
import subprocess
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.embedded import addresses, binaries, folders, identity, lifecycle, lock, process, sockets
from config.embedded.errors import EmbeddedUnavailable, explained
from config.embedded.lifecycle import Health, Server

_CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
requirepass {password}
dir ./
appendonly yes
appendfsync everysec
save ""
maxmemory 512mb
maxmemory-policy noeviction
daemonize no
pidfile ./server.pid
loglevel notice
locale-collate C
"""
_PROBE_SECONDS = 5.0


def start(home: Path) -> None:
    """Return once the server of `home` is ready; start it if it does not run.

    Raises:
        EmbeddedUnavailable: it cannot be started; the detail says why and what to do.
    """
    with explained(f"start the embedded Valkey in {home}"):
        folder = folders.make_server_folder(home, addresses.VALKEY)
        with lock.held(folder / "start.lock", seconds=folders.STEP_SECONDS):
            folders.ensure_password(folder)
            lifecycle.start(server(home))


def stop(home: Path) -> None:
    """Return once no process of the server of `home` is left and its data is on disk.

    Raises:
        EmbeddedUnavailable: it does not stop.
    """
    folder = addresses.server_folder(home, addresses.VALKEY)
    if not folder.exists():
        return
    with (
        explained(f"stop the embedded Valkey in {home}"),
        lock.held(folder / "start.lock", seconds=folders.STEP_SECONDS),
    ):
        lifecycle.stop(server(home))
        sockets.remove_folder(addresses.socket_folder(home, addresses.VALKEY))


def server(home: Path) -> Server:
    """Describe the server of `home` to `lifecycle`."""
    folder = addresses.server_folder(home, addresses.VALKEY)
    described = Server(
        title="The embedded Valkey",
        folder=folder,
        works_in=folder,
        pid_file=folder / "server.pid",
        stop_signals=((signal.SIGTERM, 20.0), (signal.SIGKILL, 10.0)),
        probe=lambda: _probe(home),
        launch=lambda guard: _launch(home, described, guard),
    )
    return described


def _probe(home: Path) -> Health:
    # The client's own retries would make a server that is down look slow.
    client = redis.Redis.from_url(
        addresses.redis_url(home), socket_timeout=_PROBE_SECONDS, retry=Retry(NoBackoff(), 0)
    )
    try:
        with client:
            client.ping()
    except redis.BusyLoadingError:
        return Health.BUSY
    except redis.AuthenticationError as error:
        raise EmbeddedUnavailable(
            f"The embedded Valkey runs in {home}, but does not let us in: its password file was replaced "
            "while it ran. Stop it with `python -m config.embedded stop`, and start it again."
        ) from error
    except (redis.ConnectionError, redis.TimeoutError):
        return Health.DOWN
    return Health.READY


def _launch(home: Path, described: Server, guard: int) -> subprocess.Popen[bytes]:
    socket_folder = addresses.socket_folder(home, addresses.VALKEY)
    sockets.make_folder(socket_folder, identity.PLAIN)
    config = _CONFIG.format(
        socket=addresses.valkey_socket(home), password=addresses.password(home, addresses.VALKEY)
    )
    return process.spawn(
        [str(binaries.valkey()), "-"],  # by standard input: `ps` shows arguments to everyone
        identity=identity.PLAIN,
        folder=described.folder,
        log=described.log,
        guard=guard,
        config=config.encode("ascii"),
    )
