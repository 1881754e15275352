"""How the web process is started: granian's command line, and whether the port is free."""

import errno
import socket
import sys

from toolroster.errors import Unavailable

CONNECTIONS = 900
"""Below the usual limit of 1,024 open files. Granian's `--backpressure` counts connections, idle ones and
event streams among them (measured, 2.8.9); the bridge's waiting room is what bounds the work."""
GRACE_SECONDS = 4
"""For running requests at the end; below honcho's 5 and Docker's 10 seconds, after which all is killed."""


class PortTaken(Unavailable):
    """Another program listens on the port."""

    code = "port_taken"
    title = "The port is taken"


def command(
    port: int,
    threads: int,
    *,
    host: str = "127.0.0.1",
    application: str = "config.asgi:application",
    grace_seconds: int = GRACE_SECONDS,
) -> list[str]:
    """Return granian's command line for one process, whose caches and streams all requests share.

    A module called `wsgi` is served as pure WSGI by `threads` of granian; `config.asgi` has its own pool and
    reads WEB_THREADS itself.
    """
    is_wsgi = application.partition(":")[0].endswith(".wsgi")
    return [
        *(sys.executable, "-m", "granian", application),
        *("--interface", "wsgi" if is_wsgi else "asgi"),
        *(("--blocking-threads", str(threads)) if is_wsgi else ()),
        *("--host", host, "--port", str(port), "--workers", "1"),
        *("--backpressure", str(CONNECTIONS)),
        *("--workers-kill-timeout", str(grace_seconds), "--respawn-failed-workers"),
        *("--no-ws", "--no-access-log"),
    ]


def ensure_port_free(host: str, port: int) -> None:
    """Check that nobody listens; granian would share the port silently with another granian (SO_REUSEPORT).

    Raises:
        PortTaken: another program listens there.
        Unavailable: the port cannot be used for another reason, such as missing privileges.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"Port {port} is taken by another program; stop it or set PORT.") from error
        raise Unavailable(f"Cannot listen on {host}:{port}: {error.strerror}. Set PORT.") from error
