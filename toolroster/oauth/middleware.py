"""Protect an ASGI or WSGI application with bearer tokens.

    app = BearerMiddleware(app, checker, rules={"/health": None, "/tools/send_email": ["email:send"]})

A rule names the scopes, any one of which opens a path and all below it; `[]` = any valid token will do,
None = open to all. The longest rule counts; a path without a rule is closed. Instead of such a mapping a
function from path to scopes will do. The path is the whole one that the client sent, decoded. Only the
Authorization header is read, never the query string (RFC 9700 §4.3.2).
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from toolroster.errors import PermissionMissing, ToolrosterError
from toolroster.oauth.challenge import bearer_token, challenge_of
from toolroster.oauth.tokens import TokenChecker

Scopes: TypeAlias = Sequence[str] | None
Rules: TypeAlias = Mapping[str, Scopes] | Callable[[str], Scopes]
ASGIMessage: TypeAlias = MutableMapping[str, Any]
ASGIReceive: TypeAlias = Callable[[], Awaitable[ASGIMessage]]
ASGISend: TypeAlias = Callable[[ASGIMessage], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[MutableMapping[str, Any], ASGIReceive, ASGISend], Awaitable[None]]

TOKEN = "toolroster.token"  # noqa: S105 - the name under which the application finds it
POLICY_VIOLATION = 1008
"""RFC 6455 §7.4.1; before the handshake's end servers answer 403 for it."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    status: int
    headers: list[tuple[str, str]]
    body: bytes


class BearerMiddleware:
    """ASGI: puts the `CheckedToken` into `scope["toolroster.token"]`, or answers with a problem."""

    def __init__(
        self, app: ASGIApp, checker: TokenChecker, *, rules: Rules, resource_metadata: str | None = None
    ) -> None:
        self._app = app
        self._checker = checker
        self._rules = rules
        self._resource_metadata = resource_metadata

    async def __call__(self, scope: MutableMapping[str, Any], receive: ASGIReceive, send: ASGISend) -> None:
        """Let a request through with a token that opens its path; refuse a WebSocket before it opens."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        scopes: Scopes = ()
        try:
            scopes = _scopes_of(scope["path"], self._rules)
            if scopes is not None:
                sent = [v.decode("latin-1") for k, v in scope["headers"] if k.lower() == b"authorization"]
                scope = {**scope, TOKEN: await self._checker.check_async(bearer_token(sent), scopes)}
        except ToolrosterError as error:
            refusal = _refuse(error, scopes, self._resource_metadata)
            await _send_refusal(refusal, scope["type"], send)
            return
        await self._app(scope, receive, send)


class WSGIBearerMiddleware:
    """WSGI: puts the `CheckedToken` into `environ["toolroster.token"]`, or answers with a problem."""

    def __init__(
        self,
        app: WSGIApplication,
        checker: TokenChecker,
        *,
        rules: Rules,
        resource_metadata: str | None = None,
    ) -> None:
        self._app = app
        self._checker = checker
        self._rules = rules
        self._resource_metadata = resource_metadata

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Let a request through with a token that opens its path."""
        scopes: Scopes = ()
        try:
            scopes = _scopes_of(_wsgi_path(environ), self._rules)
            if scopes is not None:
                sent = [environ["HTTP_AUTHORIZATION"]] if "HTTP_AUTHORIZATION" in environ else []
                environ[TOKEN] = self._checker.check(bearer_token(sent), scopes)
        except ToolrosterError as error:
            refusal = _refuse(error, scopes, self._resource_metadata)
            start_response(f"{refusal.status} {HTTPStatus(refusal.status).phrase}", refusal.headers)
            return [refusal.body]
        return self._app(environ, start_response)


def _scopes_of(path: str, rules: Rules) -> Scopes:
    if callable(rules):
        return rules(path)
    covering = [rule for rule in rules if path == rule or path.startswith(rule.rstrip("/") + "/")]
    # What resolves dots behind us would make another path of one that an open rule covers.
    if not covering or not {".", ".."}.isdisjoint(path.split("/")):
        raise PermissionMissing("No rule opens this path.")
    return rules[max(covering, key=len)]


def _wsgi_path(environ: WSGIEnvironment) -> str:
    raw = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return str(raw).encode("latin-1").decode("utf-8", "replace")  # PEP 3333: bytes in the guise of Latin-1


def _refuse(error: ToolrosterError, scopes: Scopes, resource_metadata: str | None) -> _Refusal:
    body = json.dumps(error.problem()).encode()
    headers = [
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    ]
    challenge = challenge_of(error, scopes=scopes or (), resource_metadata=resource_metadata)
    if challenge is not None:
        headers.append(("WWW-Authenticate", challenge))
    if error.retry_after_seconds is not None:
        headers.append(("Retry-After", str(error.retry_after_seconds)))
    return _Refusal(error.status, headers, body)


async def _send_refusal(refusal: _Refusal, kind: str, send: ASGISend) -> None:
    if kind == "websocket":
        await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        return
    headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": refusal.body})
