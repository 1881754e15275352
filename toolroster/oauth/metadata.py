"""Find an authorization server's endpoints from its address (RFC 8414)."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from toolroster.errors import DocumentInvalid, Fault, Unavailable
from toolroster.messages import Answer, Call
from toolroster.wire import DEFAULT_WIRE, Wire


@dataclass(frozen=True, slots=True)
class ServerMetadata:
    """The endpoints that clients and tool services need; introspection may be missing."""

    issuer: str
    token_endpoint: str
    introspection_endpoint: str | None


def discover(base_url: str, *, wire: Wire = DEFAULT_WIRE) -> ServerMetadata:
    """Return the metadata of the server at a base URL, whose issuer must be that URL.

    Raises:
        DocumentInvalid: another issuer, or endpoints that are missing, no URLs or less secure than it.
        Unavailable: there is no such document.
    """
    return _read(wire.send(_call(base_url)), base_url)


async def discover_async(base_url: str, *, wire: Wire = DEFAULT_WIRE) -> ServerMetadata:
    """Do the same as `discover`, on the running event loop."""
    return _read(await wire.send_async(_call(base_url)), base_url)


def _call(base_url: str) -> Call:
    """Return the request: the well-known part stands between host and path (§3.1)."""
    parts = urlsplit(base_url)
    path = "/.well-known/oauth-authorization-server" + parts.path.rstrip("/")
    return Call(httpx.URL(f"{parts.scheme}://{parts.netloc}{path}"))


def _read(answer: Answer, base_url: str) -> ServerMetadata:
    if answer.status != httpx.codes.OK:
        raise Unavailable(f"The server has no metadata for {base_url} (status {answer.status}).")
    document = answer.document()
    issuer = document.get("issuer")
    # Identical but for the slash that people leave or write at the end of a base URL (§3.3).
    if not isinstance(issuer, str) or issuer not in {base_url, base_url.rstrip("/")}:
        raise _invalid("/issuer", "issuer_mismatch", f"The metadata is not of the issuer {base_url}.")
    token_endpoint = _endpoint(document, "token_endpoint", issuer)
    if "introspection_endpoint" not in document:
        return ServerMetadata(issuer, token_endpoint, None)
    return ServerMetadata(issuer, token_endpoint, _endpoint(document, "introspection_endpoint", issuer))


def _endpoint(document: dict[str, Any], name: str, issuer: str) -> str:
    """Return an endpoint; secrets go there, so it is never less secure than the issuer."""
    url = document.get(name)
    schemes = ("https://",) if issuer.startswith("https://") else ("https://", "http://")
    if not isinstance(url, str) or not url.startswith(schemes):
        raise _invalid(f"/{name}", "url_invalid", f"It must be a URL with {' or '.join(schemes)}.")
    return url


def _invalid(pointer: str, code: str, detail: str) -> DocumentInvalid:
    return DocumentInvalid(f"{pointer}: {detail}", errors=[Fault(pointer, code, detail)])
