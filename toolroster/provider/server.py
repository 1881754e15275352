"""A small HTTP server of threads for a few tools, from the standard library."""

import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from toolroster.errors import Malformed
from toolroster.provider.serving import MAX_BODY_BYTES, Request, ToolApp, problem_reply

logger = logging.getLogger("toolroster.provider")

_NAMES = {"127.0.0.1": "localhost", "0.0.0.0": socket.gethostname(), "": socket.gethostname()}  # noqa: S104 - told, not bound
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def listening(make: Callable[[str], ToolApp], host: str, port: int) -> Iterator[str]:
    """Answer calls in the background; give the address, which the application is made for."""
    with ThreadingHTTPServer((host, port), BaseHTTPRequestHandler) as served:
        address = f"http://{_NAMES.get(host, host)}:{served.server_port}"
        served.RequestHandlerClass = _handler(make(address))
        served.daemon_threads = True
        thread = threading.Thread(target=served.serve_forever, args=(0.1,), name="toolroster-server")
        thread.start()
        try:
            yield address
        finally:
            served.shutdown()
            thread.join()


@contextmanager
def until_signal() -> Iterator[None]:
    """Do the body, then wait for SIGINT or SIGTERM; what handled them before does so again afterwards."""
    over = threading.Event()
    before = {number: signal.signal(number, lambda *_: over.set()) for number in _STOP_SIGNALS}
    try:
        yield
        while not over.wait(0.2):  # a wait without an end would not see a signal on every platform
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _handler(app: ToolApp) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 60
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            try:
                reply = app.answer(self._request())
            except Malformed as error:  # where this request ends is not known: no other one follows it
                self.close_connection = True
                reply = problem_reply(error)
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(reply.body)

        def _request(self) -> Request:
            length = self.headers.get("Content-Length") or "0"
            if "Transfer-Encoding" in self.headers or not length.isdecimal():
                raise Malformed("Send the length of the body (Content-Length).")
            self.close_connection = self.close_connection or int(length) > MAX_BODY_BYTES
            return Request(
                method=self.command,
                path=self.path.partition("?")[0],
                content_type=self.headers.get("Content-Type") or "",
                authorization=self.headers.get_all("Authorization", []),
                body=self.rfile.read(min(int(length), MAX_BODY_BYTES + 1)),
            )

        do_DELETE = do_GET = do_PATCH = do_POST = do_PUT = _answer  # noqa: N815 - names of the base class

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            logger.debug(format, *args)

    return Handler
