"""Which platform scope a call needs."""

from collections.abc import Sequence
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from oauth.authentication import principal_of
from oauth.principal import Principal
from toolroster.errors import InsufficientScope, Unauthenticated


class HasRequiredScopes(BasePermission):
    """The principal holds every scope in the view's `required_scopes`; reads name none."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Tell whether the call is allowed.

        Raises:
            Unauthenticated: a scope is needed and no token was sent.
            InsufficientScope: the token lacks a scope.
        """
        require(principal_of(request), view.required_scopes)
        return True


def require(principal: Principal, scopes: Sequence[str]) -> None:
    """Check that a principal holds every one of these scopes.

    Raises:
        Unauthenticated: a scope is needed and no token was sent.
        InsufficientScope: the token lacks a scope.
    """
    missing = [scope for scope in scopes if not principal.has(scope)]
    if missing and principal.is_anonymous:
        raise Unauthenticated(f"This call needs a token with the scope {missing[0]}.")
    if missing:
        raise InsufficientScope(f"The token lacks the scope {missing[0]}.", scopes=scopes)


def require_any(principal: Principal, scopes: Sequence[str]) -> None:
    """Check that a principal holds one of these scopes.

    Raises:
        Unauthenticated, InsufficientScope: it holds none of them.
    """
    if not any(principal.has(scope) for scope in scopes):
        require(principal, scopes[:1])
