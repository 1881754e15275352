"""From a request to its principal.

A token that is sent must be valid: an invalid or expired one is 401, never anonymous. Without a token the
anonymous principal of the settings applies (DISCOVERY_ANONYMOUS; in development it may write as well).
"""

from functools import lru_cache
from typing import cast

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from oauth import resources, tokens
from oauth.principal import Principal, Reach, anonymous
from oauth.tokens import CheckedToken
from toolroster.errors import TokenInvalid, Unauthenticated
from toolroster.oauth.challenge import bearer_token


class PrincipalAuthentication(BaseAuthentication):
    """Puts the principal on the request as `request.auth`."""

    def authenticate(self, request: Request) -> tuple[None, Principal]:
        """Return no user and the principal; who it is is all that views ask for."""
        return None, authenticate(request._request)  # noqa: SLF001 - DRF's wrapper has no public name

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401 (RFC 6750 §3)."""
        return "Bearer"


def principal_of(request: Request) -> Principal:
    """Return the principal that `PrincipalAuthentication` found."""
    return cast("Principal", request.auth)  # DRF's stubs know only its own tokens


def authenticate(request: HttpRequest) -> Principal:
    """Return the request's principal; see `principal_of_header`."""
    return principal_of_header(request.META.get("HTTP_AUTHORIZATION"))  # `headers` would parse all of them


def principal_of_header(sent: str | None) -> Principal:
    """Return the principal of an Authorization header; a token counts nowhere else (RFC 6750 §2.1).

    Raises:
        Unauthenticated: the header is there, but is no valid bearer token.
        AuthorizationMalformed: it does not hold exactly one token.
    """
    if sent is None:
        return anonymous_principal()
    checked = tokens.check(bearer_token([sent]), now=timezone.now())  # noqa: TID251 - an interface reads the clock
    if not any(resources.is_ours(resource) for resource in checked.audience):
        raise TokenInvalid("The access token is for another resource.")
    return _principal(checked)


@lru_cache(maxsize=4096)
def _principal(checked: CheckedToken) -> Principal:
    return Principal(
        application_id=checked.application_id,
        user_id=checked.user_id,
        scopes=frozenset(checked.scopes),
        roles=frozenset(checked.roles),
        client_id=checked.client_id,
    )


def remembered_principal(sent: str | None) -> Principal | None:
    """Return the principal without waiting for anything; None: ask `principal_of_header`."""
    if sent is None or tokens.is_remembered(sent.rpartition(" ")[2], now=timezone.now()):  # noqa: TID251 - likewise
        try:
            return principal_of_header(sent)
        except Unauthenticated:  # for another resource: that is for the other to tell
            return None
    return None


def anonymous_principal() -> Principal:
    """Return the principal of a request without a token, as the settings say."""
    reach = Reach.EVERYTHING if settings.DISCOVERY_ANONYMOUS == "all" else Reach.NOTHING
    return anonymous(sees=reach, scopes=settings.ANONYMOUS_SCOPES)
