"""A client that costs little: one kept connection, requests as bytes, answers read to their length."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self


@dataclass(frozen=True, slots=True)
class Got:
    """The status of an answer and the bytes of its body."""

    status: int
    body: bytes


class Connection:
    """One connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def ask(self, request: bytes) -> Got:
        """Send a request and return its answer."""
        self._socket.sendall(request)
        head = self._until(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        status = int(lines[0].split(b" ")[1])
        lengths = [int(line[15:]) for line in lines if line.startswith(b"content-length:")]
        return Got(status, self._take(lengths[0] if lengths else 0))

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._rest:
            self._rest += self._receive()
        head, _, self._rest = self._rest.partition(mark)
        return head

    def _take(self, size: int) -> bytes:
        parts, missing = [self._rest], size - len(self._rest)
        while missing > 0:
            part = self._receive()
            parts.append(part)
            missing -= len(part)
        whole = b"".join(parts)
        self._rest = whole[size:]
        return whole[:size]

    def _receive(self) -> bytes:
        part = self._socket.recv(1 << 18)
        if not part:
            raise ConnectionError("the server closed the connection")
        return part


def request(
    method: str, target: str, *, token: str = "", body: bytes = b"", headers: Mapping[str, str] | None = None
) -> bytes:
    """Return a request as bytes."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body
