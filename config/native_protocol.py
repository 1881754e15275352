"""Plain requests as native handlers read them, and answers as they send them."""

from functools import lru_cache

from django.conf import settings
from django.http.request import split_domain_port, validate_host

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
from registry.api.wire import Reply, Sent

_READ = {
    b"authorization": "authorization",
    b"accept": "accept",
    b"accept-encoding": "accept_encoding",
    b"if-none-match": "if_none_match",
    b"content-type": "content_type",
    b"idempotency-key": "idempotency_key",
    b"x-request-timeout-ms": "timeout_ms",
}
_GUARDED = frozenset({*_READ, b"host", b"x-forwarded-proto", b"x-request-id"})
"""What would be ambiguous twice."""


async def whole_body(scope: Scope, receive: Receive, method: str = "POST") -> bytes:
    """Return the body; a GET has none.

    Raises:
        BodyTooLarge, ClientGone.
    """
    if method == "GET":
        return b""
    body, _ = await read_body(scope, receive, max_bytes=settings.MAX_BODY_BYTES)
    with body:
        return body.read()


def plain_headers(scope: Scope, method: str) -> dict[bytes, bytes] | None:
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


def sent_of(scope: Scope, headers: dict[bytes, bytes], body: bytes) -> Sent:
    """Return what a hot path reads of a request."""
    known = {field: headers[name].decode("latin-1") for name, field in _READ.items() if name in headers}
    return Sent(scope["path"], scope["query_string"].decode("latin-1"), body=body, **known)


async def send_reply(reply: Reply, request_id: str, send: Send) -> None:
    """Send an answer, with the headers that every answer has."""
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
