"""Which platform scope a call needs."""

from types import SimpleNamespace

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from oauth.permissions import HasRequiredScopes
from oauth.principal import Principal, Reach, anonymous
from toolroster.errors import PermissionMissing, ToolrosterError, Unauthenticated

AGENT = Principal(1, None, frozenset({"tools:invoke"}), frozenset())
NOBODY = anonymous(sees=Reach.EVERYTHING)


def _is_allowed(principal: Principal, *required: str) -> bool:
    request = Request(APIRequestFactory().get("/"))
    request.auth = principal
    return HasRequiredScopes().has_permission(request, SimpleNamespace(required_scopes=required))


@pytest.mark.parametrize(
    ("principal", "required"),
    [
        (AGENT, ()),
        (AGENT, ("tools:invoke",)),
        (NOBODY, ()),
        (anonymous(sees=Reach.EVERYTHING, scopes=["tools:invoke"]), ("tools:invoke",)),
    ],
)
def test_who_holds_every_scope_may_call(principal, required):
    assert _is_allowed(principal, *required)


@pytest.mark.parametrize(
    ("principal", "error", "detail"),
    [
        (AGENT, PermissionMissing, "The token lacks the scope tools:admin."),
        (NOBODY, Unauthenticated, "This call needs a token with the scope tools:invoke."),
    ],
)
def test_who_lacks_a_scope_is_told_which(principal: Principal, error: type[ToolrosterError], detail: str):
    with pytest.raises(error) as caught:
        _is_allowed(principal, "tools:invoke", "tools:admin")

    assert caught.value.detail == detail
