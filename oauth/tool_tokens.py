"""Tokens that tools are shown: for their own audience, with no more scopes than the tool asks for.

Never the caller's: a tool that got that could call others with it, and us (RFC 9700 §4.10). One token serves
for some minutes, so that a call costs no row.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from oauth2_provider.models import get_access_token_model, set_token_value

from oauth.principal import Principal
from oauth.scopes import PLATFORM
from toolroster.cache import Cache
from toolroster.errors import InsufficientScope, PermissionMissing

LIFETIME_SECONDS = 600
_SPARE_SECONDS = 120
"""A token is used for so long before its end at the latest: a call may take a while."""


@dataclass(frozen=True, slots=True)
class ToolToken:
    """A token and what it is good for; `expires_at` in seconds since 1970."""

    token: str
    audience: str
    scopes: tuple[str, ...]
    expires_at: float


_given: Cache[ToolToken] = Cache(10_000)


def known(principal: Principal, *, audience: str, scopes: Iterable[str], now: datetime) -> ToolToken | None:
    """Return a token that was given before and counts for a while, without asking anybody."""
    return _given.get(_key(principal, audience, _opening(principal, scopes)), now=now.timestamp())


def give(principal: Principal, *, audience: str, scopes: Iterable[str], now: datetime) -> ToolToken:
    """Return a token for one audience, with those scopes of a tool that the principal holds.

    Raises:
        PermissionMissing: nobody in particular asks; tools know OAuth clients.
        InsufficientScope: it holds none of the scopes.
    """
    wanted = tuple(scopes)
    held = _opening(principal, wanted)
    if principal.application_id is None:
        raise PermissionMissing("A tool that asks for scopes is called with the token of an OAuth client.")
    if not held:
        raise InsufficientScope(f"The tool needs one of the scopes {', '.join(wanted)}.", scopes=wanted)
    expires_at = now + timedelta(seconds=LIFETIME_SECONDS)
    row = get_access_token_model()(
        application_id=principal.application_id,
        user_id=principal.user_id,
        expires=expires_at,
        scope=" ".join(held),
        resource=[audience],
    )
    text = secrets.token_urlsafe(32)
    set_token_value(row, text)
    row.save(force_insert=True)
    made = ToolToken(text, audience, held, expires_at.timestamp())
    _given.put(_key(principal, audience, held), made, until=made.expires_at - _SPARE_SECONDS)
    return made


def forget() -> None:
    """Give new tokens from now on: for tests."""
    _given.clear()


def drop(principal: Principal, *, audience: str, scopes: Iterable[str]) -> None:
    """Give a new token from now on: a tool did not take this one."""
    known = _given.get(_key(principal, audience, _opening(principal, scopes)), now=0.0)
    if known is not None:
        _given.put(_key(principal, audience, known.scopes), known, until=0.0)


def _opening(principal: Principal, scopes: Iterable[str]) -> tuple[str, ...]:
    """Return the scopes of a tool that a principal holds; the platform's own open nothing elsewhere.

    A tool that asks for one of those, at an address of ours, would make its callers act on the platform.
    """
    return tuple(sorted(principal.scopes.intersection(scopes) - PLATFORM.keys()))


def _key(principal: Principal, audience: str, held: tuple[str, ...]) -> str:
    return f"{principal.application_id} {principal.user_id} {audience} {' '.join(held)}"
