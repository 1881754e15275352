"""Start, stop and report on both embedded servers of a home."""

from dataclasses import dataclass
from pathlib import Path

from config.embedded import addresses, identity, lifecycle, liveness, logs, postgres, valkey


@dataclass(frozen=True, slots=True)
class Status:
    """One server as seen now: `pid` is None where it is unknown, `address` carries no password."""

    name: str
    is_running: bool
    pid: int | None
    address: str
    log: Path


def start(home: Path) -> None:
    """Return once both servers of `home` are ready.

    Raises:
        EmbeddedUnavailable: one cannot be started; the other may run.
    """
    postgres.start(home)
    valkey.start(home)


def stop(home: Path) -> None:
    """Return once no process of either server of `home` is left.

    Raises:
        EmbeddedUnavailable: one does not stop.
    """
    try:
        valkey.stop(home)
    finally:
        postgres.stop(home)


def status(home: Path) -> list[Status]:
    """Return how both servers of `home` are; changes nothing."""
    database = postgres.server(home, identity.PLAIN)
    cache = valkey.server(home)
    return [
        Status(
            addresses.POSTGRES,
            liveness.postgres_running(home),
            lifecycle.live_pid(database),
            _public(addresses.database_url(home), addresses.password(home, addresses.POSTGRES)),
            database.log,
        ),
        Status(
            addresses.VALKEY,
            liveness.valkey_running(home),
            lifecycle.live_pid(cache),
            _public(addresses.redis_url(home), addresses.password(home, addresses.VALKEY)),
            cache.log,
        ),
    ]


def trim_logs(home: Path) -> None:
    """Keep the logs of both servers of `home` within their bounds."""
    for server in (addresses.POSTGRES, addresses.VALKEY):
        logs.trim(addresses.server_folder(home, server) / "server.log")


def _public(url: str, password: str) -> str:
    return url.replace(f":{password}@", ":***@") if password else url
