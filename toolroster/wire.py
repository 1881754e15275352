"""Ask a server now and then: bounded in time, size and attempts, for callers with and without asyncio."""

import asyncio
import functools
import logging
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpx

from toolroster.errors import Unavailable
from toolroster.messages import Answer, Body, Call

logger = logging.getLogger(__name__)

MAX_ANSWER_BYTES = 64 * 1024
"""Largest answer read of an authorization server; tokens have at most 4 kB, metadata a few more."""
MAX_RETRY_AFTER_SECONDS = 3600


@dataclass(frozen=True)
class Wire:
    """How requests are sent: patience, attempts, and the seams for transports and time.

    Each attempt may take `timeout_seconds` to connect, between two parts of the answer, and for the whole
    body; between attempts lie `pauses_seconds`, one more attempt than pauses. Connections are not kept:
    requests are seconds or minutes apart, and so nothing is bound to an event loop, shared by forked
    processes or left to close. `ticks` is a monotonic clock. A given transport is its owner's to close.
    `peer` is what the server is called in errors, `log_level` how loud a failure is.
    """

    timeout_seconds: float = 5.0
    pauses_seconds: tuple[float, ...] = (0.2, 0.8)
    most_bytes: int = MAX_ANSWER_BYTES
    peer: str = "authorization server"
    log_level: int = logging.WARNING
    transport: httpx.BaseTransport | None = None
    async_transport: httpx.AsyncBaseTransport | None = None
    ticks: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep

    def send(self, call: Call) -> Answer:
        """Return the answer.

        Raises:
            Unavailable: no answer after all attempts, or 429 or 5xx; a server that says when to come back
                (Retry-After) is not asked again before.
        """
        for pause in self.pauses_seconds:
            try:
                return self._once(call)
            except Unavailable as error:
                _raise_if_final(error)
            self.sleep(pause)
        return self._once(call)

    async def send_async(self, call: Call) -> Answer:
        """Do the same as `send`, on the running event loop."""
        for pause in self.pauses_seconds:
            try:
                return await self._once_async(call)
            except Unavailable as error:
                _raise_if_final(error)
            await self.sleep_async(pause)
        return await self._once_async(call)

    def _once(self, call: Call) -> Answer:
        body = self._body()
        with (
            _failures_as_unavailable(call.url, self),
            self._client() as client,
            client.stream(**call.arguments()) as response,
        ):
            _check_coding(response, self.peer)
            for part in response.iter_bytes():
                body.add(part)
        return _answered(response, body, self)

    async def _once_async(self, call: Call) -> Answer:
        body = self._body()
        with _failures_as_unavailable(call.url, self):
            async with self._async_client() as client, client.stream(**call.arguments()) as response:
                _check_coding(response, self.peer)
                async for part in response.aiter_bytes():
                    body.add(part)
        return _answered(response, body, self)

    def _body(self) -> Body:
        seconds, ticks = self.timeout_seconds, self.ticks
        return Body(self.peer, most_bytes=self.most_bytes, seconds=seconds, ticks=ticks)

    @contextmanager
    def _client(self) -> Iterator[httpx.Client]:
        client = httpx.Client(transport=self.transport, verify=certificates(), timeout=self.timeout_seconds)
        try:
            yield client
        finally:
            if self.transport is None:
                client.close()

    @asynccontextmanager
    async def _async_client(self) -> AsyncIterator[httpx.AsyncClient]:
        client = httpx.AsyncClient(
            transport=self.async_transport, verify=certificates(), timeout=self.timeout_seconds
        )
        try:
            yield client
        finally:
            if self.async_transport is None:
                await client.aclose()


DEFAULT_WIRE = Wire()


@functools.cache
def certificates() -> ssl.SSLContext:
    """Return the trusted certificates, once: reading them takes 60 ms."""
    return httpx.create_ssl_context()


@contextmanager
def _failures_as_unavailable(url: httpx.URL, wire: Wire) -> Iterator[None]:
    try:
        yield
    except httpx.TransportError as error:
        logger.log(wire.log_level, "no answer from %s: %s", url.host, type(error).__name__)
        raise Unavailable(f"The {wire.peer} at {url.host} does not answer.") from error


def _check_coding(response: httpx.Response, peer: str) -> None:
    # A small part may unpack to a huge one.
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Unavailable(f"The {peer}'s answer has a coding that was not asked for.")


def _answered(response: httpx.Response, body: Body, wire: Wire) -> Answer:
    """Return the answer, unless it says that the server cannot work now."""
    status = response.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
        logger.log(wire.log_level, "%s answers %s", response.url.host, status)
        again = _retry_after_seconds(response.headers)
        raise Unavailable(f"The {wire.peer} answers {status}.", retry_after_seconds=again)
    return Answer(status, response.headers, bytes(body.content), wire.peer)


def _retry_after_seconds(headers: httpx.Headers) -> int | None:
    """Return what Retry-After says in seconds; a date is not read (RFC 9110 §10.2.3)."""
    text = headers.get("retry-after", "")
    is_number = text.isascii() and text.isdecimal() and len(text) < 10
    return min(int(text), MAX_RETRY_AFTER_SECONDS) if is_number else None


def _raise_if_final(error: Unavailable) -> None:
    if error.retry_after_seconds is not None:
        raise error
