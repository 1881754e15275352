"""Identifiers of resources (RFC 8707), as they are compared."""

from collections.abc import Hashable
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def normal(resource: str) -> Hashable:
    """Return what counts of a resource's URL (RFC 3986 §6.2): no last slash, case, default port."""
    try:
        parts = urlsplit(resource)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:  # a port that is no number
        return resource
    path = parts.path.removesuffix("/")
    return parts.scheme, parts.username, parts.hostname, port, path, parts.query, parts.fragment


def origin_of(url: str) -> str:
    """Return scheme and host of an address: what a token for it is for where nothing else is said."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
