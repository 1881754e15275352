"""The two headers of bearer tokens (RFC 6750): read `Authorization`, write `WWW-Authenticate`."""

import re
from collections.abc import Sequence

from toolroster.errors import (
    AuthorizationMalformed,
    InsufficientScope,
    TokenInvalid,
    ToolrosterError,
    Unauthenticated,
)

MAX_TOKEN_CHARS = 4096
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*", re.ASCII)
_NOT_VISIBLE = re.compile(r"[^\x20-\x7E]")
_NOT_IN_VALUES = re.compile(r"[^\x20\x21\x23-\x5B\x5D-\x7E]")
"""What RFC 6750 §3 keeps out of error, error_description and scope: quotes, backslashes, all but ASCII."""
_SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+")
_CODES: dict[type[ToolrosterError], str] = {
    AuthorizationMalformed: "invalid_request",
    TokenInvalid: "invalid_token",
    InsufficientScope: "insufficient_scope",
}
"""RFC 6750 §3.1."""


def is_bearer_token(text: str) -> bool:
    """Tell whether a text has the form of a token (RFC 6750 §2.1 b64token) and at most 4096 characters."""
    return len(text) <= MAX_TOKEN_CHARS and _TOKEN.fullmatch(text) is not None


def bearer_token(headers: Sequence[str]) -> str:
    """Return the token from the values of all Authorization headers of a request.

    The token's own form is left to who checks it.

    Raises:
        Unauthenticated: there is no header, or one of another scheme.
        AuthorizationMalformed: several headers, or not exactly one token after the scheme.
    """
    if not headers:
        raise Unauthenticated("This call needs a bearer token in the Authorization header.")
    if len(headers) > 1:
        raise AuthorizationMalformed("There is more than one Authorization header.")
    scheme, _, rest = headers[0].strip(" \t").partition(" ")
    token = rest.lstrip(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("The Authorization header holds no bearer token.")
    if not token or " " in token:
        raise AuthorizationMalformed("The Authorization header must hold exactly one token after the scheme.")
    return token


def bearer_challenge(
    *,
    error: str | None = None,
    description: str | None = None,
    scopes: Sequence[str] = (),
    resource_metadata: str | None = None,
    realm: str = "tools",
) -> str:
    """Return the value of a `WWW-Authenticate` header (RFC 6750 §3, RFC 9728 §5.1).

    Without a token in the request there is no `error`. Characters that a value cannot hold become `?`,
    scopes that hold such are left out.
    """
    parts = {
        "realm": re.sub(r'(["\\])', r"\\\1", _NOT_VISIBLE.sub("?", realm)),
        "error": _NOT_IN_VALUES.sub("?", error or ""),
        "error_description": _NOT_IN_VALUES.sub("?", description or ""),
        "scope": " ".join(filter(_SCOPE.fullmatch, scopes)),
        "resource_metadata": _NOT_IN_VALUES.sub("?", resource_metadata or ""),
    }
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)


def challenge_of(
    error: ToolrosterError, *, scopes: Sequence[str] = (), resource_metadata: str | None = None
) -> str | None:
    """Return the challenge that goes with an error, None if none does; `scopes` are what the call needs."""
    needed = error.scopes if isinstance(error, InsufficientScope) else scopes
    for kind, code in _CODES.items():
        if isinstance(error, kind):
            return bearer_challenge(
                error=code, description=error.detail, scopes=needed, resource_metadata=resource_metadata
            )
    if isinstance(error, Unauthenticated):  # nothing that was sent is wrong
        return bearer_challenge(scopes=needed, resource_metadata=resource_metadata)
    return None
