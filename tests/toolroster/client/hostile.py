"""Registries that do what none should: slow, failing, half-closed, garbage."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Behaviour = str
"""`good`, `404`, `500`, `503`, `garbage`, `html`, `half`, `silent`, `closed`, `wrong`."""


class Registry:
    """A server on a raw socket that behaves as it is told, for each connection."""

    def __init__(self, content: Any) -> None:
        self.content = content
        self.behaviour: Behaviour = "good"
        self.by_path: dict[str, tuple[int, Any]] = {}
        self.asked = 0
        self.last = b""
        self.released = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    @contextmanager
    def running(self) -> "Iterator[Registry]":
        thread = threading.Thread(target=self._accept, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            head = _head(connection)
            if not head:
                return
            self.last = head
            self.asked += 1
            if self.behaviour == "silent":
                self.released.wait(20)
                return
            connection.sendall(self._by_path(head) or self._answer())

    def _by_path(self, head: bytes) -> bytes | None:
        path = head.split()[1].decode().partition("?")[0]
        if path not in self.by_path:
            return None
        status, content = self.by_path[path]
        return _http(status, json.dumps(content).encode(), "application/problem+json")

    def _answer(self) -> bytes:
        whole = json.dumps(self.content).encode()
        good = _http(200, whole)
        return {
            "good": good,
            "404": _http(404, b'{"detail": "none", "code": "tool_not_found"}', "application/problem+json"),
            "500": _http(500, b"oops", "text/plain"),
            "503": _http(503, b'{"detail": "busy", "code": "unavailable"}', "application/problem+json"),
            "garbage": b"\x00\x01\x02 not http at all\r\n\r\n",
            "html": _http(200, b"<html>a proxy's page</html>", "text/html"),
            "half": good[: -len(whole) // 2],
            "closed": b"",
            "wrong": _http(200, b'{"results": "none", "tools": 1}'),
        }[self.behaviour]


def _head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        part = connection.recv(65_536)
        if not part:
            return b""
        head += part
    return head


def _http(status: int, body: bytes, media_type: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + body
