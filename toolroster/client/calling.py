"""Call tools over HTTP: arguments are checked before, answers bounded, tokens shown where they are wanted."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import anyio
import httpx

from toolroster import arguments as call_arguments
from toolroster.client.answers import Registration, result_of
from toolroster.errors import ToolUnavailable, Unavailable
from toolroster.messages import Body
from toolroster.wire import certificates

CALL_SECONDS = 30.0
MOST_BYTES = 16 * 1024 * 1024
"""The largest result that is read: more is not for a model's eyes, and a tool may answer without end."""


@dataclass(frozen=True, slots=True)
class Target:
    """A tool as its caller sees it."""

    name: str
    url: str
    input_schema: Mapping[str, Any] = field(repr=False)
    wants_token: bool
    """A tool that asks for no scope has no use for the token, except to use it elsewhere."""
    method: str = "POST"

    @classmethod
    def of(cls, tool: Registration) -> Self:
        """Read a registration; without an address it is "", and a call is refused."""
        method = str((tool.document.get("endpoint") or {}).get("method") or "POST")
        return cls(tool.tool_id, tool.url or "", tool.input_schema, bool(tool.scopes), method)


class Caller:
    """Calls tools with the token that `auth` gives, from threads and from event loops.

    `auth` is asked for at each call, so that a caller may come to hold another token. A call may take
    `seconds` to connect, between two parts of the answer, and for its whole body.
    """

    def __init__(
        self,
        auth: Callable[[], httpx.Auth | None],
        *,
        seconds: float = CALL_SECONDS,
        transport: httpx.BaseTransport | None = None,
        async_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._auth = auth
        self._seconds = seconds
        self._transport = transport
        self._async_transport = async_transport
        self._client: httpx.Client | None = None
        self._pid = os.getpid()

    def call(self, target: Target, arguments: Mapping[str, Any]) -> Any:
        """Call a tool and return its result.

        Raises:
            DocumentInvalid: the arguments are not what its input schema says; nothing was called.
            ToolUnavailable: it names no address.
            Unavailable: it does not answer, or without end.
            ToolrosterError: what the tool says is wrong.
        """
        _check(target, arguments)
        body = self._body(target)
        with (
            self._failures(target),
            self._http().stream(**self._said(target, arguments)) as told,
        ):
            answer = body.whole(told, told.iter_bytes())
        return result_of(answer)

    async def call_async(self, target: Target, arguments: Mapping[str, Any]) -> Any:
        """Do the same as `call` on the running event loop; the whole call has the deadline."""
        _check(target, arguments)
        body = self._body(target)
        with self._failures(target), anyio.fail_after(self._seconds):
            # Connections are not kept: frameworks run loop after loop, and a client belongs to one.
            async with self._http_async() as client, client.stream(**self._said(target, arguments)) as told:
                answer = await body.whole_async(told, told.aiter_bytes())
        return result_of(answer)

    def close(self) -> None:
        """Close all connections; the next call opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._transport is None:
            client.close()

    def _said(self, target: Target, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "method": target.method,
            "url": target.url,
            "json": dict(arguments),
            "auth": self._auth() if target.wants_token else None,
        }

    def _body(self, target: Target) -> Body:
        return Body(f"tool {target.name}", most_bytes=MOST_BYTES, seconds=self._seconds)

    def _http(self) -> httpx.Client:
        if self._client is None or self._pid != os.getpid():  # connections are not for two processes
            self._pid = os.getpid()
            self._client = httpx.Client(
                timeout=self._seconds, transport=self._transport, verify=certificates()
            )
        return self._client

    def _http_async(self) -> httpx.AsyncClient:
        transport = self._async_transport
        return httpx.AsyncClient(timeout=self._seconds, transport=transport, verify=certificates())

    @contextmanager
    def _failures(self, target: Target) -> Iterator[None]:
        try:
            yield
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise Unavailable(f"{target.name} does not answer ({type(error).__name__}).") from error


def _check(target: Target, arguments: Mapping[str, Any]) -> None:
    call_arguments.check(arguments, target.input_schema)
    if not target.url:
        raise ToolUnavailable(f"{target.name} names no address to call.")
