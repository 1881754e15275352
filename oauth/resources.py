"""Which resource a token is for (RFC 8707): ours, in every way that clients spell it."""

from urllib.parse import urlsplit

from django.conf import settings

_DEFAULT_PORTS = {"http": 80, "https": 443}


def ours() -> str:
    """Return the identifier of this platform as a protected resource."""
    return str(settings.PUBLIC_URL).rstrip("/")


def metadata_url() -> str:
    """Return where a client learns how to get a token for us (RFC 9728 §3.1)."""
    return f"{ours()}/.well-known/oauth-protected-resource"


def is_ours(resource: str) -> bool:
    """Tell whether a resource indicator means us: the origin, or the MCP endpoint, slash or not."""
    if resource == ours():
        return True
    wanted = resource.removesuffix("/")
    return any(_same(wanted, ours() + path) for path in ("", "/mcp"))


def _same(one: str, other: str) -> bool:
    try:
        return _normal(one) == _normal(other)
    except ValueError:  # a port that is no number
        return False


def _normal(url: str) -> tuple[str | int | None, ...]:
    """Return what counts of a URL (RFC 3986 §6.2.2): lower-case scheme and host, the port written out."""
    parts = urlsplit(url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    return parts.scheme, parts.hostname, port, parts.username, parts.path, parts.query, parts.fragment
