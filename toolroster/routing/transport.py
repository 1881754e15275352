"""The one HTTP client that calls tools: guarded addresses, no redirects, bounded in size and time."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import httpcore

from toolroster.routing.guard import GuardedNetwork, Resolve, resolve
from toolroster.wire import certificates

MOST_BYTES = 16 * 1024 * 1024
"""The largest answer that is read: more is not for a model's eyes, and a tool may answer without end."""
_IDLE_SECONDS = 20.0
_CONNECT_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent to an instance of a tool."""

    url: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    method: str = "POST"
    timeout_seconds: float = 5.0
    may_be_private: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class NotSent(Exception):
    """Nothing reached the tool: the call can go elsewhere, whatever it does."""


class Lost(Exception):
    """The call was sent, and what became of it is not known."""


class TooSlow(Lost):
    """Its time is over."""


class Transport(Protocol):
    """How a tool is called. HTTP is here; MCP has a place beside it."""

    async def send(self, request: Request) -> Answer:
        """Return the answer.

        Raises:
            NotSent, Lost, TooSlow: there is none.
            AddressForbidden: the address is not one to call.
        """


class HTTPTransport:
    """Calls tools over HTTP/1.1 and keeps connections; it belongs to one event loop.

    What may reach private networks has connections of its own: none is lent to what may not.
    """

    def __init__(
        self, *, most_bytes: int = MOST_BYTES, most_connections: int = 1000, resolving: Resolve = resolve
    ) -> None:
        self._most_bytes = most_bytes
        self._pools = {
            may_be_private: httpcore.AsyncConnectionPool(
                ssl_context=certificates(),
                max_connections=most_connections,
                max_keepalive_connections=most_connections,
                keepalive_expiry=_IDLE_SECONDS,
                network_backend=GuardedNetwork(may_be_private=may_be_private, resolving=resolving),
            )
            for may_be_private in (False, True)
        }

    async def send(self, request: Request) -> Answer:
        """See `Transport`. A connection that the other side had closed is opened anew, before it is used."""
        progress = _Progress()
        try:
            async with asyncio.timeout(request.timeout_seconds), self._answer(request, progress) as answer:
                return Answer(answer.status, _headers(answer), await self._body(answer))
        except TimeoutError as error:
            raise TooSlow("the time is over") from error
        except (httpcore.ConnectError, httpcore.ConnectTimeout, httpcore.PoolTimeout) as error:
            raise NotSent(str(error) or type(error).__name__) from error
        except (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError, ValueError) as error:
            raise NotSent(f"the request cannot be sent: {error}") from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as error:
            if not progress.is_sent:
                raise NotSent(f"the connection was closed ({type(error).__name__})") from error
            raise Lost(f"the answer broke off ({type(error).__name__})") from error

    @asynccontextmanager
    async def _answer(self, request: Request, progress: "_Progress") -> AsyncIterator[httpcore.Response]:
        pool = self._pools[request.may_be_private]
        connect = min(_CONNECT_SECONDS, request.timeout_seconds)
        said = {"Content-Type": "application/json", **request.headers, "Accept-Encoding": "identity"}
        async with pool.stream(
            request.method,
            request.url,
            headers=list(said.items()),
            content=request.body,
            extensions={"timeout": {"connect": connect, "pool": connect}, "trace": progress.trace},
        ) as answer:
            yield answer

    async def _body(self, answer: httpcore.Response) -> bytes:
        content = bytearray()
        async for part in answer.aiter_stream():
            content += part
            if len(content) > self._most_bytes:
                raise Lost(f"the answer is larger than {self._most_bytes} bytes")
        return bytes(content)

    async def close(self) -> None:
        """Close all connections."""
        for pool in self._pools.values():
            with suppress(RuntimeError):  # of an event loop that is gone
                await pool.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class _Progress:
    """How far a request has come: whether any of it was written to a connection that lives.

    A kept connection may have been closed by the other side; then the first write fails, or reading does
    before anything was read, and whether the tool saw the request is not known.
    """

    def __init__(self) -> None:
        self.is_sent = False

    async def trace(self, event: str, _info: Mapping[str, Any]) -> None:
        if event == "http11.send_request_headers.complete":
            self.is_sent = True


def _headers(answer: httpcore.Response) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
