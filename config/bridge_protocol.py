"""What the bridge says in ASGI: its types, reading a body under a cap, sending an answer or a problem."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterable, MutableMapping
from typing import IO, Any, TypeVar

from orjson import dumps

from registry.api.problems import MEDIA_TYPE, problem_of
from toolroster.errors import BodyTooLarge, HeadersTooLarge

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIHandler = Callable[[Scope, Receive, Send], Awaitable[None]]

Outcome = TypeVar("Outcome")

SPOOL_BYTES = 1024 * 1024
"""A body up to this size stays in memory, a larger one goes to an unnamed temporary file."""


MOST_HEAD_BYTES = 32 * 1024
"""For the address and all headers: as much as common proxies take. A token has at most 4,096 characters."""


class ClientGone(Exception):
    """The client closed the connection, or stopped reading: nobody waits for the answer."""


def check_head(scope: Scope) -> None:
    """Refuse a request whose address and headers are too long.

    Raises:
        HeadersTooLarge: together they are over `MOST_HEAD_BYTES`.
    """
    address = len(scope["path"]) + len(scope["query_string"])
    if address + sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEAD_BYTES:
        raise HeadersTooLarge(f"Address and headers have at most {MOST_HEAD_BYTES} bytes.")


async def read_body(scope: Scope, receive: Receive, *, max_bytes: int) -> tuple[IO[bytes], int]:
    """Return the whole body as a file at its beginning, and its size in bytes.

    Raises:
        BodyTooLarge: declared or counted, it is larger than `max_bytes`.
        ClientGone: the connection closed before the body's end.
    """
    _check_size(_declared_bytes(scope), max_bytes)
    body = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - the worker closes it
    try:
        size = await _receive_into(body, receive, max_bytes)
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body, size


async def _receive_into(body: IO[bytes], receive: Receive, max_bytes: int) -> int:
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk = message.get("body", b"")
        size += len(chunk)
        _check_size(size, max_bytes)
        # On the event loop, although it may be a file: the page cache takes a chunk of 64 kB in microseconds.
        body.write(chunk)
        more = message.get("more_body", False)
    return size


def _declared_bytes(scope: Scope) -> int:
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in values if value.isdigit()), default=0)


def _check_size(size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise BodyTooLarge(f"The body is larger than {max_bytes} bytes.")


async def deliver(messages: Iterable[Message], send: Send) -> None:
    """Send the messages.

    Raises:
        ClientGone: the server says that the connection is closed (ASGI 2.4).
    """
    try:
        for message in messages:
            await send(message)
    except OSError as error:
        raise ClientGone from error


async def unless_gone(work: Coroutine[Any, Any, Outcome], receive: Receive) -> Outcome:
    """Return what `work` returns; give it up when the client disconnects.

    Raises:
        ClientGone: the client was first.
    """
    task, watch = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({task, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        task.cancel()
        watch.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def start_message(status: int, headers: Iterable[tuple[str, str]]) -> Message:
    """Return the message that begins an answer."""
    encoded = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return {"type": "http.response.start", "status": status, "headers": encoded}


def body_message(body: bytes, *, more: bool = False) -> Message:
    """Return the message with a part of the body; the last one has no `more`."""
    return {"type": "http.response.body", "body": body, "more_body": more}


def problem_messages(error: BaseException, *, is_head: bool) -> list[Message]:
    """Return an error's answer, RFC 9457 problem details like every other; what is unexpected is logged."""
    problem = problem_of(error if isinstance(error, Exception) else RuntimeError(repr(error)))
    body = dumps(problem)
    headers = [("Content-Type", MEDIA_TYPE), ("Content-Length", str(len(body)))]
    if problem["retry_after_seconds"]:
        headers.append(("Retry-After", str(problem["retry_after_seconds"])))
    return [start_message(problem["status"], headers), body_message(b"" if is_head else body)]
