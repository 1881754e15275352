"""A small WSGI application behind the bridge, for the tests that ask a real granian."""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse

import django

django.setup()  # as config.asgi does: the bridge words its errors with the platform's translator

from config.bridge import Bridge  # noqa: E402 - Django comes first

MAX_BODY_BYTES = 3 * 1024 * 1024
RECORD = Path(os.environ.get("BRIDGE_TEST_RECORD", os.devnull))
"""Where the served application notes what it did."""

_release = threading.Event()


class Stream:
    """A WSGI result that notes when it is closed, and in which thread."""

    def __init__(self, name: str, chunks: Iterable[bytes]) -> None:
        self._name = name
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)

    def close(self) -> None:
        with RECORD.open("a") as record:
            record.write(f"closed {self._name} in {threading.current_thread().name}\n")


def _echo(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    body = environ["wsgi.input"].read()
    seen = {key: value for key, value in environ.items() if isinstance(value, str)}
    seen["sha256"] = hashlib.sha256(body).hexdigest()
    seen["input"] = type(getattr(environ["wsgi.input"], "_file", None)).__name__
    start_response("200 OK", [("Content-Type", "application/json"), ("X-Twice", "1"), ("X-Twice", "2")])
    return [json.dumps(seen).encode()]


def _length(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "5")])
    return [b"hello"]


def _empty(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    start_response("204 No Content", [])
    return [b"never sent"]


def _fail(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    raise ZeroDivisionError("on purpose")


def _stepwise(environ: dict[str, Any], start_response: StartResponse) -> Stream:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return Stream("stepwise", _two_steps())


def _two_steps() -> Iterator[bytes]:
    yield b"one"
    assert _release.wait(timeout=30)
    yield b"two"


def _free(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
    _release.set()
    start_response("200 OK", [])
    return []


def _endless(environ: dict[str, Any], start_response: StartResponse) -> Stream:
    start_response("200 OK", [])
    return Stream("endless", iter(lambda: b"x" * 65536, b""))


def _broken(environ: dict[str, Any], start_response: StartResponse) -> Stream:
    start_response("200 OK", [])
    return Stream("broken", _one_then_error())


def _one_then_error() -> Iterator[bytes]:
    yield b"one"
    raise ZeroDivisionError("on purpose")


_ROUTES: dict[str, Callable[[dict[str, Any], StartResponse], Iterable[bytes]]] = {
    "/length": _length,
    "/empty": _empty,
    "/fail": _fail,
    "/stepwise": _stepwise,
    "/free": _free,
    "/endless": _endless,
    "/broken": _broken,
}


def wsgi(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
    return _ROUTES.get(environ["PATH_INFO"], _echo)(environ, start_response)


application = Bridge(wsgi, threads=4, max_body_bytes=MAX_BODY_BYTES)
