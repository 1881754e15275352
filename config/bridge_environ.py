"""The WSGI environment (PEP 3333) of an ASGI request."""

import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import IO, Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from config.bridge_protocol import Scope

FILE_BLOCK_BYTES = 64 * 1024
_UNNAMED = ("", "0")
"""What granian calls the client of a Unix socket."""


def environ_of(scope: Scope, body: IO[bytes], size: int) -> dict[str, Any]:
    """Return the environment; `body` is read completely, so its size is known even when it came in chunks."""
    server = scope.get("server") or ("localhost", None)
    client = scope.get("client") or _UNNAMED
    script_name, path_info = _paths(scope)
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": script_name,
        "PATH_INFO": path_info,
        "QUERY_STRING": scope.get("query_string", b"").decode("latin-1"),
        "CONTENT_LENGTH": str(size),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1] or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": _file_blocks,
    }
    _add_headers(environ, scope["headers"])
    return environ


def _paths(scope: Scope) -> tuple[str, str]:
    """Return SCRIPT_NAME and PATH_INFO: the path's bytes as latin-1, without the prefix of a mount.

    Made of `raw_path` where there is one: `path` has lost the bytes that are no UTF-8.
    """
    root = scope.get("root_path", "").rstrip("/").encode()
    raw = scope.get("raw_path")
    path = unquote_to_bytes(raw) if raw else scope["path"].encode()
    if root and (path == root or path.startswith(root + b"/")):
        path = path[len(root) :]
    return root.decode("latin-1"), path.decode("latin-1")


def _add_headers(environ: dict[str, Any], headers: Iterable[tuple[bytes, bytes]]) -> None:
    for name, raw in headers:
        key = _key(name)
        if key is None:
            continue
        value = raw.decode("latin-1")
        if key in environ:  # RFC 9110 §5.3; cookies, which HTTP/2 may split, RFC 9113 §8.2.3
            value = environ[key] + ("; " if key == "HTTP_COOKIE" else ",") + value
        environ[key] = value


@lru_cache(maxsize=512)
def _key(name: bytes) -> str | None:
    """Return a header's name in the environment, None for one that does not go there.

    `X_Forwarded_Proto` would arrive under the name of `X-Forwarded-Proto`, past the proxy that removes the
    latter. Length and encoding were those of the body on the wire.
    """
    if b"_" in name or name.lower() in {b"content-length", b"transfer-encoding"}:
        return None
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key == "CONTENT_TYPE" else f"HTTP_{key}"


def _file_blocks(file: IO[bytes], block_bytes: int = FILE_BLOCK_BYTES) -> FileWrapper:
    """Return a file in blocks worth a hop between threads: Django asks for 4 kB, which is small."""
    return FileWrapper(file, max(block_bytes, FILE_BLOCK_BYTES))
