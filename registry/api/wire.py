"""Requests and answers of the hot paths as plain values, for Django views and native ASGI handlers alike."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.datastructures import CaseInsensitiveMapping
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.utils.mediatypes import media_type_matches

from registry.api.parsing import json_of
from registry.api.rendering import CamelJSONRenderer, JSONRenderer
from registry.services.kept import Kept

VARY = "Accept, Accept-Encoding, Authorization"
_RENDERERS = {renderer.media_type: renderer for renderer in (JSONRenderer(), CamelJSONRenderer())}


@dataclass(frozen=True, slots=True)
class Sent:
    """What a hot path reads of a request; headers that were not sent are ""/None."""

    path: str
    query: str = ""
    authorization: str | None = None
    accept: str = "*/*"
    accept_encoding: str = ""
    if_none_match: str = ""
    content_type: str = ""
    idempotency_key: str = ""
    timeout_ms: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as bytes; `headers` hold its content type."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def sent_of(request: Request) -> Sent:
    """Return what Django received; a body is read up to one byte over the limit."""
    plain: HttpRequest = request._request  # noqa: SLF001 - DRF's wrapper has no public name
    meta = plain.META
    return Sent(
        path=plain.path,
        query=meta.get("QUERY_STRING", ""),
        authorization=meta.get("HTTP_AUTHORIZATION"),
        accept=meta.get("HTTP_ACCEPT", "*/*"),
        accept_encoding=meta.get("HTTP_ACCEPT_ENCODING", ""),
        if_none_match=meta.get("HTTP_IF_NONE_MATCH", ""),
        content_type=meta.get("CONTENT_TYPE", ""),
        idempotency_key=meta.get("HTTP_IDEMPOTENCY_KEY", ""),
        timeout_ms=meta.get("HTTP_X_REQUEST_TIMEOUT_MS", ""),
        body=plain.read(settings.MAX_BODY_BYTES + 1) if plain.method == "POST" else b"",
    )


def as_http(reply: Reply) -> HttpResponse:
    """Return an answer as Django sends it."""
    response = HttpResponse(reply.body, status=reply.status)
    del response["Content-Type"]
    for name, value in reply.headers.items():
        response[name] = value
    return response


@lru_cache(maxsize=256)
def renderer_for(accept: str) -> BaseRenderer:
    """Return the renderer that an Accept header asks for.

    Raises:
        NotAcceptable: it takes neither of our media types.
    """
    headers = CaseInsensitiveMapping({"Accept": accept})
    asked: Any = SimpleNamespace(headers=headers, META={"HTTP_ACCEPT": accept}, query_params={})
    chosen, _ = DefaultContentNegotiation().select_renderer(asked, list(_RENDERERS.values()))
    return cast("BaseRenderer", chosen)


def json_body(sent: Sent) -> Any:
    """Return the body's JSON value.

    Raises:
        Malformed, BodyTooLarge: from `parsing.json_of`.
        UnsupportedMediaType: not sent as JSON.
    """
    if sent.body and not media_type_matches("application/json", sent.content_type):
        raise UnsupportedMediaType(sent.content_type)
    return json_of(sent.body)


def rendered(
    data: Any, renderer: BaseRenderer, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Reply:
    """Return a value as the client wants it spelt."""
    body = cast("bytes", renderer.render(data))
    ours = {"Content-Type": str(renderer.media_type), "Vary": VARY}
    return Reply(status, body, ours | dict(headers or {}))


def kept_reply(kept: Kept, sent: Sent, *, media_type: str) -> Reply:
    """Return a kept answer: 304 where the client has it, compressed where it takes that."""
    headers = {
        "Content-Type": media_type,
        "ETag": kept.etag,
        "Cache-Control": "private, no-cache",
        "Vary": VARY,
        **dict(kept.headers),
    }
    if _has(sent.if_none_match, kept.etag):
        del headers["Content-Type"]
        return Reply(304, b"", headers)
    if kept.compressed and _takes_gzip(sent.accept_encoding):
        return Reply(200, kept.compressed, headers | {"Content-Encoding": "gzip"})
    return Reply(200, kept.body, headers)


def _has(if_none_match: str, etag: str) -> bool:
    """Compare weakly (RFC 9110 §13.1.2)."""
    if not if_none_match:
        return False
    opaque = etag.removeprefix("W/")
    return any(one.strip() in ("*", etag, opaque) for one in if_none_match.split(","))


@lru_cache(maxsize=256)
def _takes_gzip(accept_encoding: str) -> bool:
    """Tell whether gzip is accepted; `gzip;q=0` is a refusal (RFC 9110 §12.5.3)."""
    for one in accept_encoding.lower().split(","):
        name, _, weight = one.strip().partition(";")
        if name in {"gzip", "*"}:
            return weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return False
