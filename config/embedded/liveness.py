"""Tell cheaply whether the embedded servers listen; imports no driver."""

import socket
from pathlib import Path

from config.embedded import addresses

_CONNECT_SECONDS = 1.0


def listens(path: Path) -> bool:
    """Return whether a server accepts connections on the Unix socket `path`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(_CONNECT_SECONDS)
        try:
            client.connect(str(path))
        except OSError:
            return False
        return True


def postgres_running(home: Path) -> bool:
    """Return whether the embedded PostgreSQL of `home` listens."""
    return listens(addresses.postgres_socket(home))


def valkey_running(home: Path) -> bool:
    """Return whether the embedded Valkey of `home` listens."""
    return listens(addresses.valkey_socket(home))


def running(home: Path) -> bool:
    """Return whether both embedded servers of `home` listen."""
    return postgres_running(home) and valkey_running(home)
