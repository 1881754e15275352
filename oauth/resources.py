"""Which resource a token is for (RFC 8707): ours, in every way that clients spell it."""

from django.conf import settings

from toolroster.oauth.resource import normal


def ours() -> str:
    """Return the identifier of this platform as a protected resource."""
    return str(settings.PUBLIC_URL).rstrip("/")


def metadata_url() -> str:
    """Return where a client learns how to get a token for us (RFC 9728 §3.1)."""
    return f"{ours()}/.well-known/oauth-protected-resource"


def is_ours(resource: str) -> bool:
    """Tell whether a resource indicator means us: the origin, or the MCP endpoint, slash or not."""
    return resource == ours() or normal(resource) in {normal(ours() + path) for path in ("", "/mcp")}
