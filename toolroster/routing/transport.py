"""The one HTTP client that calls tools: guarded addresses, no redirects, bounded in size and time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, Self

import aiohttp

from toolroster.routing.guard import GuardedNetwork, Resolve, resolve
from toolroster.wire import certificates

MOST_BYTES = 4 * 1024 * 1024
"""The largest answer that is read: more is not for a model's eyes, and a tool may answer without end."""
_IDLE_SECONDS = 15.0
_CONNECT_SECONDS = 3.0
_CONNECT_SHARE = 0.6
"""Of a request's time, that it may take to get a connection: what is left is for another instance."""
MOST_PER_HOST = 200
"""Connections to one host: one that hangs does not take what others need."""
_PART_BYTES = 64 * 1024


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
    """What came back, whatever its status; names of headers are in lower case."""

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

    What may reach private networks has connections of its own: none is lent to what may not. A connection
    that breaks after the request was begun leaves open whether the tool saw it, so the call counts as sent.
    """

    def __init__(
        self,
        *,
        most_bytes: int = MOST_BYTES,
        most_per_host: int = MOST_PER_HOST,
        resolving: Resolve = resolve,
    ) -> None:
        self._most_bytes = most_bytes
        self._most_per_host = most_per_host
        self._resolving = resolving
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def send(self, request: Request) -> Answer:
        """See `Transport`."""
        try:
            async with asyncio.timeout(request.timeout_seconds):
                return await self._answer(request)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NotSent(type(error).__name__) from error
        except TimeoutError as error:
            raise TooSlow("the time is over") from error
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError) as error:
            raise NotSent(f"the request cannot be sent ({type(error).__name__})") from error
        except (aiohttp.ClientError, OSError) as error:
            raise Lost(f"the answer broke off ({type(error).__name__})") from error

    async def _answer(self, request: Request) -> Answer:
        headers = {"Content-Type": "application/json", **request.headers, "Accept-Encoding": "identity"}
        connect = min(_CONNECT_SECONDS, _CONNECT_SHARE * request.timeout_seconds)
        async with self._session(request).request(
            request.method,
            request.url,
            data=request.body,
            headers=headers,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=None, connect=connect, ceil_threshold=60),
        ) as answer:
            named = {name.lower(): value for name, value in answer.headers.items()}
            return Answer(answer.status, named, await self._body(answer))

    async def _body(self, answer: aiohttp.ClientResponse) -> bytes:
        content = bytearray()
        async for part in answer.content.iter_chunked(_PART_BYTES):
            content += part
            if len(content) > self._most_bytes:
                answer.close()
                raise Lost(f"the answer is larger than {self._most_bytes} bytes")
        return bytes(content)

    def _session(self, request: Request) -> aiohttp.ClientSession:
        found = self._sessions.get(request.may_be_private)
        if found is None:
            found = self._sessions[request.may_be_private] = self._made(may_be_private=request.may_be_private)
        return found

    def _made(self, *, may_be_private: bool) -> aiohttp.ClientSession:
        network = GuardedNetwork(may_be_private=may_be_private, resolving=self._resolving)
        connector = aiohttp.TCPConnector(
            ssl=certificates(),
            resolver=network,
            socket_factory=network.socket,
            limit=0,
            limit_per_host=self._most_per_host,
            keepalive_timeout=_IDLE_SECONDS,
        )
        session = aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
        )
        # aiohttp sends a PUT or DELETE again whose connection broke; whether a call may be is ours to know.
        session._retry_connection = False  # noqa: SLF001 - it has no other switch; a test holds it
        return session

    async def close(self) -> None:
        """Close all connections."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
