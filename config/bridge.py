"""Django as WSGI behind a small pool of threads, inside the one ASGI application.

Django under ASGI costs 2.1 ms a request, behind this bridge 0.33, as pure WSGI 0.21 (CPU; PERFORMANCE.md).
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any
from wsgiref.types import WSGIApplication

from config.bridge_environ import environ_of
from config.bridge_protocol import (
    ClientGone,
    Outcome,
    Receive,
    Scope,
    Send,
    deliver,
    problem_messages,
    read_body,
    unless_gone,
)
from config.bridge_worker import Exchange, answer
from toolroster.errors import Unavailable

WAITING_PER_THREAD = 32
STALL_SECONDS = 60.0


class Busy(Unavailable):
    """Every thread works and the waiting room is full."""

    code = "busy"
    title = "Too many requests at once"


class Bridge:
    """An ASGI application that runs a WSGI application.

    `waiting` requests may wait for one of `threads`; one more is answered by 503. The thread of a stream is
    given up when its client reads nothing for `stall_seconds`.
    """

    def __init__(
        self,
        application: WSGIApplication,
        *,
        threads: int,
        max_body_bytes: int,
        waiting: int | None = None,
        stall_seconds: float = STALL_SECONDS,
    ) -> None:
        self._application = application
        self._max_body_bytes = max_body_bytes
        self._stall_seconds = stall_seconds
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="wsgi")
        self._room = WaitingRoom(threads, threads * WAITING_PER_THREAD if waiting is None else waiting)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body, size = await read_body(scope, receive, max_bytes=self._max_body_bytes)
            must_wait = self._enter(body)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - also a full disk becomes an answer
            await send_problem(error, scope, send)
        else:
            await self._exchange(environ_of(scope, body, size), receive, send, must_wait=must_wait)

    async def in_thread(self, function: Callable[[], Outcome]) -> Outcome:
        """Call a function in one of the threads, which keep their database connections."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, function)

    async def call(self, function: Callable[[], Outcome]) -> Outcome:
        """Call a function in one of the threads, with a place in the same waiting room as Django's requests.

        Raises:
            Busy: there is no place.
        """
        self._room.enter()
        job = self._pool.submit(function)
        job.add_done_callback(self._room.leave)
        return await asyncio.wrap_future(job)

    def _enter(self, body: IO[bytes]) -> bool:
        try:
            return self._room.enter()
        except Busy:
            body.close()
            raise

    async def _exchange(
        self, environ: dict[str, Any], receive: Receive, send: Send, *, must_wait: bool
    ) -> None:
        exchange = Exchange(asyncio.get_running_loop(), stall_seconds=self._stall_seconds)
        job = self._pool.submit(answer, self._application, environ, exchange)
        job.add_done_callback(self._room.leave)
        try:
            await _relay(exchange, receive, send, must_wait=must_wait)
        except ClientGone:
            pass
        finally:
            exchange.abandon()
            if job.cancel():  # it waited for a thread in vain
                environ["wsgi.input"].close()


class WaitingRoom:
    """Counts who is served and who waits: `threads` and `waiting` at most."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._threads = threads
        self._places = threads + waiting
        self._inside = 0
        self._lock = threading.Lock()

    def enter(self) -> bool:
        """Take a place; return whether a thread has to become free first.

        Raises:
            Busy: there is no place.
        """
        with self._lock:
            if self._inside >= self._places:
                raise Busy("The server has more requests than it can serve.", retry_after_seconds=1)
            self._inside += 1
            return self._inside > self._threads

    def leave(self, _job: "Future[Any] | None" = None) -> None:
        """Give the place back."""
        with self._lock:
            self._inside -= 1


async def send_problem(error: Exception, scope: Scope, send: Send) -> None:
    """Answer with an error, unless the client is gone too."""
    try:
        await deliver(problem_messages(error, is_head=scope["method"] == "HEAD"), send)
    except ClientGone:
        return


async def _relay(exchange: Exchange, receive: Receive, send: Send, *, must_wait: bool) -> None:
    """Send the answer as it comes. One part from a free thread comes soon: to watch the client costs more."""
    first = exchange.take()
    messages, more = await (unless_gone(first, receive) if must_wait else first)
    await deliver(messages, send)
    if more:
        await unless_gone(_send_rest(exchange, send), receive)


async def _send_rest(exchange: Exchange, send: Send) -> None:
    more = True
    while more:
        messages, more = await exchange.take()
        await deliver(messages, send)
