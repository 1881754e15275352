"""Calls of tools as native ASGI handlers: on the event loop, so that no thread waits for a tool."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from config.bridge import Bridge, send_problem
from config.bridge_protocol import ClientGone, Receive, Scope, Send, unless_gone
from config.native_protocol import plain_headers, send_reply, sent_of, whole_body
from config.requests import request_id_of
from registry.api.problems import reply_to
from registry.api.wire import Reply, Sent


@dataclass(frozen=True, slots=True)
class NativeCall:
    """An operation that waits for somebody else. A client that goes away ends it: nobody wants the answer."""

    operation: Callable[[Sent, str], Awaitable[Reply]]
    bridge: Bridge
    scopes: tuple[str, ...] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = plain_headers(scope, "POST")
        if headers is None:
            await self.bridge(scope, receive, send)
            return
        request_id = request_id_of(headers.get(b"x-request-id", b"").decode("latin-1"))
        try:
            sent = sent_of(scope, headers, await whole_body(scope, receive))
            reply = await unless_gone(self._answer(sent, request_id), receive)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - also what breaks the rules of HTTP becomes an answer
            await send_problem(error, scope, send)
        else:
            await send_reply(reply, request_id, send)

    async def _answer(self, sent: Sent, request_id: str) -> Reply:
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                return await self.operation(sent, request_id)
            except Exception as error:  # noqa: BLE001 - every error has an answer
                return reply_to(error, scopes=self.scopes)
