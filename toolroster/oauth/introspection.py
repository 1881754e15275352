"""Read what an introspection endpoint says about a token (RFC 7662 §2.2)."""

import logging
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx

from toolroster.errors import Unavailable
from toolroster.messages import Answer
from toolroster.oauth.resource import normal

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CheckedToken:
    """A valid token: whose it is, what it opens, whom it is for and when it ends; None = not said."""

    subject: str | None
    client_id: str | None
    scopes: frozenset[str]
    audience: tuple[str, ...]
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A token that does not count here, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Expected:
    """Whom tokens must be for (any of these, as `normal` writes them) and, unless None, who issued them."""

    audiences: frozenset[Hashable]
    issuer: str | None

    def verdict(self, answer: Answer, *, now: float) -> CheckedToken | Refused:
        """Return what a token stands for at `now` (seconds since 1970).

        Raises:
            Unavailable: the answer makes no sense, or the server does not accept this service.
        """
        document = _document(answer)
        if not _member(document, "active", bool, required=True):
            return Refused("The access token is unknown, expired or revoked.")
        token = _token(document)
        objection = self._objection(document, token, now)
        return token if objection is None else Refused(objection)

    def _objection(self, document: dict[str, Any], token: CheckedToken, now: float) -> str | None:
        kind = _member(document, "token_type", str) or "bearer"
        issuer = _member(document, "iss", str)
        checks = (
            # Another kind is bound to a key (RFC 9449), or no access token.
            (kind.lower() != "bearer", "The token is no bearer token."),
            (
                token.expires_at is not None and token.expires_at.timestamp() <= now,
                "The access token has expired.",
            ),
            (self.issuer not in {None, issuer}, "The access token is from another issuer."),
            (
                self.audiences.isdisjoint(map(normal, token.audience)),
                "The access token is for another audience.",
            ),
        )
        return next((reason for applies, reason in checks if applies), None)


def _document(answer: Answer) -> dict[str, Any]:
    if answer.status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        logger.error("the introspection endpoint does not accept this service's id and secret")
    if answer.status != httpx.codes.OK:
        raise Unavailable(f"Tokens cannot be checked: the introspection endpoint answers {answer.status}.")
    return answer.document()


def _token(document: dict[str, Any]) -> CheckedToken:
    return CheckedToken(
        subject=_member(document, "sub", str),
        client_id=_member(document, "client_id", str),
        scopes=frozenset((_member(document, "scope", str) or "").split()),
        audience=_audience(document.get("aud")),
        expires_at=_moment(document),
    )


def _audience(value: Any) -> tuple[str, ...]:
    """Return the audience, which is a text or a list of texts (RFC 7519 §4.1.3)."""
    values = value if isinstance(value, list) else [value]
    return tuple(item for item in values if isinstance(item, str))


def _moment(document: dict[str, Any]) -> datetime | None:
    seconds = _member(document, "exp", int | float)
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise Unavailable("Tokens cannot be checked: `exp` of the introspection is no time.") from error


def _member(document: dict[str, Any], name: str, kind: Any, *, required: bool = False) -> Any:
    """Return a member; only of its type, for a guess about a wrong one would open doors."""
    value = document.get(name)
    is_missing = value is None and not required
    if is_missing or (isinstance(value, kind) and (kind is bool or not isinstance(value, bool))):
        return value
    raise Unavailable(f"Tokens cannot be checked: `{name}` of the introspection has a wrong type.")
