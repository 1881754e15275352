"""Run a WSGI application in a worker thread, and hand its answer to the event loop part by part."""

import asyncio
import logging
import threading
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any
from wsgiref.types import WSGIApplication

from config.bridge_protocol import ClientGone, Message, body_message, problem_messages, start_message

logger = logging.getLogger(__name__)

WAITING_PARTS = 4
"""Parts of a stream that wait for the client before the worker does."""

Part = tuple[list[Message], bool]
"""Messages to send, and whether more parts follow."""
ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]

_CUT: Part = ([], False)
"""The answer ends here, without the message that ends it: the client must see that it is not whole."""


class Exchange:
    """The parts of one answer, between the worker that makes them and the event loop that sends them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *, stall_seconds: float) -> None:
        self._loop = loop
        self._stall_seconds = stall_seconds
        self._parts: asyncio.Queue[Part] = asyncio.Queue()
        self._room = threading.Semaphore(WAITING_PARTS)
        self._is_abandoned = False

    def put(self, messages: list[Message], *, more: bool = False) -> None:
        """Hand a part over; wait while the client is slow. For the worker.

        Raises:
            ClientGone: the client left, or took nothing for `stall_seconds`.
        """
        if not self._room.acquire(timeout=self._stall_seconds) or self._is_abandoned:
            raise ClientGone
        self._loop.call_soon_threadsafe(self._parts.put_nowait, (messages, more))

    def cut(self) -> None:
        """Break the answer off. For the worker."""
        self._loop.call_soon_threadsafe(self._parts.put_nowait, _CUT)

    async def take(self) -> Part:
        """Wait for the next part. For the event loop."""
        part = await self._parts.get()
        self._room.release()
        return part

    def abandon(self) -> None:
        """Let the worker stop at its next part. For the event loop."""
        self._is_abandoned = True
        self._room.release()


class Started:
    """WSGI's `start_response`: remembers how the answer begins."""

    def __init__(self) -> None:
        self.is_sent = False
        self._message: Message | None = None
        self._written: list[bytes] = []

    def __call__(self, status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None) -> Any:
        if exc_info and exc_info[1] and self.is_sent:
            raise exc_info[1]
        self._message = start_message(int(status[:3]), headers)
        return self._written.append

    def begin(self) -> tuple[Message, bytes]:
        """Return the first message, and what was written by PEP 3333's imperative way."""
        if self._message is None:
            raise RuntimeError("The WSGI application did not call start_response.")
        return self._message, b"".join(self._written)


def answer(application: WSGIApplication, environ: dict[str, Any], exchange: Exchange) -> None:
    """Run the application for one request; whatever happens, the exchange gets its last part."""
    started = Started()
    try:
        exchange.put(_run(application, environ, started, exchange))
    except ClientGone:
        exchange.cut()
    except BaseException as error:  # noqa: BLE001 - a view may raise SystemExit, and the client waits
        _fail(error, environ, started, exchange)
    finally:
        environ["wsgi.input"].close()


def _run(
    application: WSGIApplication, environ: dict[str, Any], started: Started, exchange: Exchange
) -> list[Message]:
    """Return the last part: with all of an answer in memory, or only the end of a stream.

    The result is closed before that part is handed over: the event loop wakes up when this thread is done,
    and they do not compete for the interpreter.
    """
    result = application(environ, started)
    try:
        chunks = filter(None, result)
        first = next(chunks, b"")  # a generator calls start_response only now
        start, written = started.begin()
        first = written + first
        if environ["REQUEST_METHOD"] == "HEAD" or start["status"] in {204, 304}:
            return [start, body_message(b"")]
        if _is_whole(result):
            return [start, body_message(b"".join((first, *chunks)))]
        started.is_sent = True
        return _stream(start, first, chunks, exchange)
    finally:
        if hasattr(result, "close"):
            result.close()


def _is_whole(result: Iterable[bytes]) -> bool:
    """Return whether the body is in memory already; Django's responses say so."""
    return isinstance(result, list | tuple) or getattr(result, "streaming", True) is False


def _stream(start: Message, first: bytes, rest: Iterator[bytes], exchange: Exchange) -> list[Message]:
    exchange.put([start, body_message(first, more=True)], more=True)
    for chunk in rest:
        exchange.put([body_message(chunk, more=True)], more=True)
    return [body_message(b"")]


def _fail(error: BaseException, environ: dict[str, Any], started: Started, exchange: Exchange) -> None:
    if started.is_sent:
        logger.error("an answer broke off", exc_info=error, extra={"path": environ["PATH_INFO"]})
        exchange.cut()
        return
    try:
        exchange.put(problem_messages(error, is_head=environ["REQUEST_METHOD"] == "HEAD"))
    except ClientGone:
        exchange.cut()
