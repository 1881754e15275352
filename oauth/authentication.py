"""From a request to its principal.

A token that is sent must be valid: an invalid or expired one is 401, never anonymous. Without a token the
anonymous principal of the settings applies (DISCOVERY_ANONYMOUS; in development it may write as well).
"""

from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest
from oauth2_provider.oauth2_backends import get_oauthlib_core
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from oauth.principal import Principal, Reach, anonymous
from toolroster.errors import Unauthenticated


class PrincipalAuthentication(BaseAuthentication):
    """Puts the principal on the request as `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Any, Principal]:
        """Return the user, None for clients, and the principal."""
        principal, user = authenticate(request._request)  # noqa: SLF001 - DRF's wrapper has no public name
        return user, principal

    def authenticate_header(self, request: Request) -> str:
        """Return the challenge of a 401 (RFC 6750 §3)."""
        return "Bearer"


def principal_of(request: Request) -> Principal:
    """Return the principal that `PrincipalAuthentication` found."""
    return cast("Principal", request.auth)  # DRF's stubs know only its own tokens


def authenticate(request: HttpRequest) -> tuple[Principal, Any]:
    """Return the request's principal and its user, None without one.

    Raises:
        Unauthenticated: an Authorization header is there, but is no valid bearer token.
    """
    if "Authorization" not in request.headers:
        return anonymous_principal(), None
    core = get_oauthlib_core()
    # Without query and body, which may be of any form: RFC 6750 tokens are taken from the header alone.
    address, headers = request.build_absolute_uri(request.path), core.extract_headers(request)
    valid, result = core.server.verify_request(address, request.method, None, headers, scopes=[])
    if not valid:
        raise Unauthenticated("The access token is invalid or has expired.")
    token = result.access_token
    roles = token.application.roles if token.application else []
    principal = Principal(
        application_id=token.application_id,
        user_id=token.user_id,
        scopes=frozenset(token.scope.split()),
        roles=frozenset(roles),
    )
    return principal, result.user


def anonymous_principal() -> Principal:
    """Return the principal of a request without a token, as the settings say."""
    reach = Reach.EVERYTHING if settings.DISCOVERY_ANONYMOUS == "all" else Reach.NOTHING
    return anonymous(sees=reach, scopes=settings.ANONYMOUS_SCOPES)
