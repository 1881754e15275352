"""Hot paths as native ASGI handlers: the operations of `registry.api.hot`, without Django around them.

A handler serves plain requests alone. Whatever else comes (another method, an unknown host, plain HTTP where
HTTPS is demanded, a header twice, a browser) goes to Django, which knows what to do about it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import structlog
from django.conf import settings
from django.db import close_old_connections
from django.http.request import split_domain_port, validate_host

from config.bridge import Bridge, send_problem
from config.bridge_protocol import (
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    body_message,
    deliver,
    read_body,
    start_message,
)
from config.requests import request_id_of
from consumers.api import events
from registry.api import hot
from registry.api.problems import reply_to
from registry.api.wire import Reply, Sent

Operation = Callable[[Sent], Reply]
Quick = Callable[[Sent], Reply | None]

_READ = {
    b"authorization": "authorization",
    b"accept": "accept",
    b"accept-encoding": "accept_encoding",
    b"if-none-match": "if_none_match",
    b"content-type": "content_type",
}
_GUARDED = frozenset({*_READ, b"host", b"x-forwarded-proto", b"x-request-id"})
"""What would be ambiguous twice."""


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
        headers = _plain_headers(scope, self.method)
        if headers is None or (self.pages and b"html" in headers.get(b"accept", b"")):
            await self.bridge(scope, receive, send)
            return
        request_id = request_id_of(headers.get(b"x-request-id", b"").decode("latin-1"))
        try:
            sent = _sent(scope, headers, await self._body(scope, receive))
            reply = self.now(sent) if self.now else None
            if reply is None:
                reply = await self._patiently(sent, request_id)
        except ClientGone:
            return
        except Exception as error:  # noqa: BLE001 - also a full waiting room becomes an answer
            await send_problem(error, scope, send)
        else:
            await _send(reply, request_id, send)

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

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        if self.method == "GET":
            return b""
        body, _ = await read_body(scope, receive, max_bytes=settings.MAX_BODY_BYTES)
        with body:
            return body.read()

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


def handlers(bridge: Bridge) -> dict[str, Native]:
    """Return the native handlers by path."""
    return {
        "/": Native(hot.discover, bridge, pages=True),
        "/api/tools/available": Native(hot.available, bridge, now=hot.available_now),
        "/api/tools/resolve": Native(hot.resolve, bridge),
        "/api/tools/search": Native(hot.search, bridge, method="POST"),
        "/api/events": Native(events.everyone, bridge, again=events.again),
        "/api/agents/me/events": Native(events.mine, bridge, again=events.again),
        "/api/tools/heartbeat": Native(hot.beat, bridge, method="POST", scopes=hot.BEAT_SCOPES),
    }


def _plain_headers(scope: Scope, method: str) -> dict[bytes, bytes] | None:
    """Return the headers of a plain request, None for one that Django has to look at."""
    if scope["method"] != method or scope.get("root_path"):
        return None
    headers: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in headers and name in _GUARDED:
            return None
        headers[name] = value
    has_body = b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
    if method == "GET" and has_body:
        return None
    is_welcome = _is_ours(headers.get(b"host", b"")) and _is_secure_enough(scope, headers)
    return headers if is_welcome else None


@lru_cache(maxsize=256)
def _is_ours(host: bytes) -> bool:
    domain, _ = split_domain_port(host.decode("latin-1"))
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


def _is_secure_enough(scope: Scope, headers: dict[bytes, bytes]) -> bool:
    if not getattr(settings, "SECURE_SSL_REDIRECT", False):
        return True
    return scope.get("scheme") == "https" or headers.get(b"x-forwarded-proto") == b"https"


def _sent(scope: Scope, headers: dict[bytes, bytes], body: bytes) -> Sent:
    known = {field: headers[name].decode("latin-1") for name, field in _READ.items() if name in headers}
    return Sent(scope["path"], scope["query_string"].decode("latin-1"), body=body, **known)


async def _send(reply: Reply, request_id: str, send: Send) -> None:
    headers = {**_common_headers(), **reply.headers, "X-Request-Id": request_id}
    if reply.status != 304:
        headers["Content-Length"] = str(len(reply.body))
    messages: list[Message] = [start_message(reply.status, headers.items()), body_message(reply.body)]
    try:
        await deliver(messages, send)
    except ClientGone:
        return


@lru_cache(maxsize=1)
def _common_headers() -> dict[str, str]:
    """Return what Django's security middleware adds to every answer; a test holds the two together."""
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
        "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "X-Frame-Options": settings.X_FRAME_OPTIONS,
    }
    if getattr(settings, "SECURE_HSTS_SECONDS", 0):
        headers["Strict-Transport-Security"] = f"max-age={settings.SECURE_HSTS_SECONDS}"
    return headers
