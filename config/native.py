"""Hot paths as native ASGI handlers: the operations of `registry.api.hot`, without Django around them.

A handler serves plain requests alone. Whatever else comes (another method, an unknown host, plain HTTP where
HTTPS is demanded, a header twice, a browser) goes to Django, which knows what to do about it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.db import close_old_connections

from config.bridge import Bridge, send_problem
from config.bridge_protocol import ASGIHandler, ClientGone, Receive, Scope, Send
from config.native_calls import NativeCall
from config.native_protocol import plain_headers, send_reply, sent_of, whole_body
from config.requests import request_id_of
from consumers.api import events, invoking
from registry.api import hot
from registry.api.problems import reply_to
from registry.api.wire import Reply, Sent

Operation = Callable[[Sent], Reply]
Quick = Callable[[Sent], Reply | None]

_ASK_AGAIN_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Native:
    """One path and method.

    `now` answers on the event loop if it can, without waiting. `again` says how many seconds the client waits
    for a better answer than the one that was found, and what to ask then; no thread waits with it. `scopes`
    go into challenges. With `pages` browsers get a page at this path, which Django makes.
    """

    operation: Operation
    bridge: Bridge
    method: str = "GET"
    now: Quick | None = None
    scopes: tuple[str, ...] = ()
    pages: bool = False
    again: Callable[[Sent, Reply], tuple[float, Sent]] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = plain_headers(scope, self.method)
        if headers is None or (self.pages and b"html" in headers.get(b"accept", b"")):
            await self.bridge(scope, receive, send)
            return
        request_id = request_id_of(headers.get(b"x-request-id", b"").decode("latin-1"))
        try:
            sent = sent_of(scope, headers, await whole_body(scope, receive, self.method))
            reply = self.now(sent) if self.now else None
            if reply is None:
                reply = await self._patiently(sent, request_id)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - also a full waiting room becomes an answer
            await send_problem(error, scope, send)
        else:
            await send_reply(reply, request_id, send)

    async def _patiently(self, sent: Sent, request_id: str) -> Reply:
        """Ask until the client need not wait any more."""
        reply = await self._asked(sent, request_id)
        if self.again is None:
            return reply
        seconds, sent = self.again(sent, reply)
        ends_at = time.monotonic() + seconds
        while seconds and time.monotonic() < ends_at:
            await asyncio.sleep(_ASK_AGAIN_SECONDS)
            reply = await self._asked(sent, request_id)
            seconds, sent = self.again(sent, reply)
        return reply

    async def _asked(self, sent: Sent, request_id: str) -> Reply:
        return await self.bridge.call(lambda: self._answer(sent, request_id))

    def _answer(self, sent: Sent, request_id: str) -> Reply:
        """Run the operation in a thread, as Django runs a view."""
        close_old_connections()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                return self.operation(sent)
            except Exception as error:  # noqa: BLE001 - every error has an answer
                return reply_to(error, scopes=self.scopes)
            finally:
                close_old_connections()


def handlers(bridge: Bridge) -> dict[str, ASGIHandler]:
    """Return the native handlers by path."""
    return {
        "/": Native(hot.discover, bridge, pages=True),
        "/api/tools/available": Native(hot.available, bridge, now=hot.available_now),
        "/api/tools/resolve": Native(hot.resolve, bridge),
        "/api/tools/search": Native(hot.search, bridge, method="POST"),
        "/api/events": Native(events.everyone, bridge, again=events.again),
        "/api/agents/me/events": Native(events.mine, bridge, again=events.again),
        "/api/tools/heartbeat": Native(hot.beat, bridge, method="POST", scopes=hot.BEAT_SCOPES),
        "/api/tools/invoke": NativeCall(invoking.invoke, bridge),
        "/call/": NativeCall(invoking.call, bridge),
    }
