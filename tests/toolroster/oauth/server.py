"""A small real authorization server on 127.0.0.1: tokens, introspection, metadata, and scripted failures."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qs

from toolroster.oauth import Wire

T = TypeVar("T")

PATIENCE_SECONDS = 20
METADATA_PATH = "/.well-known/oauth-authorization-server"
IMPATIENT = Wire(timeout_seconds=PATIENCE_SECONDS, pauses_seconds=())
"""Asks once, and waits long enough for a busy machine."""


@dataclass
class Clock:
    """A clock that tests set."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    form: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """An answer; `content` is sent as JSON unless it is bytes, `cut` closes before the end of it."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    cut: bool = False

    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()


class AuthorizationServer:
    """Gives out token-1, token-2…, knows those in `tokens`, and says first what `next` was told."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.tokens: dict[str, dict[str, Any]] = {}
        self.released = threading.Event()
        self.released.set()
        self._scripted: deque[Reply] = deque()
        self._http = _listen(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def next(self, *replies: Reply) -> None:
        self._scripted.extend(replies)

    @contextmanager
    def running(self) -> Iterator["AuthorizationServer"]:
        thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def reply(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        assert self.released.wait(PATIENCE_SECONDS)
        if self._scripted:
            return self._scripted.popleft()
        if asked.path == METADATA_PATH:
            return Reply({"issuer": self.url, "token_endpoint": self.url + "/token"})
        if asked.path == "/introspect":
            return Reply(self.tokens.get(asked.form["token"], {"active": False}))
        token = f"token-{len(self.asked)}"
        return Reply({"access_token": token, "token_type": "Bearer", "expires_in": 3600})


def _listen(server: AuthorizationServer) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply(Asked(self.path, headers, form))
            content = reply.body()
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if reply.cut else content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # clients of these tests go away on purpose

    return Quiet(("127.0.0.1", 0), Handler)


class Crowd:
    """Threads that ask at once. The server answers once each has looked at the clock, which is `ticks`.

    Every caller looks at it before it asks or waits.
    """

    SIZE = 32

    def __init__(self, server: AuthorizationServer) -> None:
        self._server = server
        self._seen: set[int] = set()

    def ticks(self) -> float:
        self._seen.add(threading.get_ident())
        if len(self._seen) == self.SIZE:
            self._server.released.set()
        return 1000.0

    def answers(self, work: Callable[[], T]) -> set[T]:
        """Return the different answers that the threads got."""
        barrier = threading.Barrier(self.SIZE)

        def at_once() -> T:
            barrier.wait(PATIENCE_SECONDS)
            return work()

        self._server.released.clear()
        with ThreadPoolExecutor(self.SIZE) as pool:
            futures = [pool.submit(at_once) for _ in range(self.SIZE)]
            return {future.result(PATIENCE_SECONDS) for future in futures}
