"""From a request to its principal."""

import pytest
from django.contrib.auth import get_user_model
from django.test import RequestFactory
from rest_framework.request import Request

from oauth import resources
from oauth.authentication import PrincipalAuthentication, authenticate, principal_of
from oauth.models import ScopeGrant
from oauth.principal import Principal, Reach
from tests.factories import make_application, make_token
from toolroster.errors import AuthorizationMalformed, TokenInvalid, ToolrosterError, Unauthenticated

pytestmark = pytest.mark.django_db


def _principal(authorization: str | None = None, path: str = "/api/tools/available") -> Principal:
    headers = {} if authorization is None else {"Authorization": authorization}
    return authenticate(RequestFactory().get(path, headers=headers))


def test_a_token_brings_its_application_scopes_and_roles():
    application = make_application(roles=["clerk"])
    token = make_token("mail:use sms:use", application=application)

    principal = _principal(f"Bearer {token}")

    assert principal == Principal(
        application.pk,
        None,
        frozenset({"mail:use", "sms:use"}),
        frozenset({"clerk"}),
        Reach.BY_SCOPE,
        application.client_id,
    )


def test_a_persons_token_brings_the_person():
    user = get_user_model().objects.create_user("ann")
    token = make_token(user=user)

    assert _principal(f"Bearer {token}").user_id == user.pk


def test_a_withdrawn_grant_takes_the_scope_from_tokens_that_exist():
    token = make_token("mail:use sms:use")
    ScopeGrant.objects.filter(scope__name="sms:use").delete()

    assert _principal(f"Bearer {token}").scopes == {"mail:use"}


def test_a_new_grant_reaches_no_token_that_exists():
    application = make_application()
    token = make_token("mail:use", application=application)
    make_token("sms:use", application=application)

    assert _principal(f"Bearer {token}").scopes == {"mail:use"}


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_may_have_any_case(scheme):
    token = make_token("mail:use")

    assert _principal(f"{scheme} {token}").has("mail:use")


@pytest.mark.parametrize(
    ("authorization", "error"),
    [
        ("Bearer wrong", TokenInvalid),
        ("Bearer ", AuthorizationMalformed),
        ("Bearer", AuthorizationMalformed),
        ("Bearer one two", AuthorizationMalformed),
        ("Bearer one,Bearer two", AuthorizationMalformed),
        ("Bearer one,two", TokenInvalid),
        ("", Unauthenticated),
        ("Basic c2VjcmV0", Unauthenticated),
        ("secret", Unauthenticated),
        ("Token secret", Unauthenticated),
    ],
)
def test_what_is_no_valid_token_is_never_anonymous(authorization: str, error: type[ToolrosterError]):
    with pytest.raises(ToolrosterError) as caught:
        _principal(authorization)

    assert type(caught.value) is error


def test_an_expired_token_is_no_token():
    token = make_token(seconds=-1)

    with pytest.raises(TokenInvalid, match="invalid or has expired"):
        _principal(f"Bearer {token}")


@pytest.mark.parametrize(
    "audience", [[], ["https://elsewhere.example"], ["http://localhost:8006/api"], ["http://localhost"]]
)
def test_a_token_for_another_resource_is_no_token(audience):
    token = make_token(audience=audience)

    with pytest.raises(TokenInvalid, match="another resource"):
        _principal(f"Bearer {token}")


def test_a_token_for_several_resources_counts_here_if_one_is_ours():
    token = make_token(audience=["https://elsewhere.example", resources.ours()])

    assert not _principal(f"Bearer {token}").is_anonymous


def test_a_token_in_the_query_does_not_count():
    token = make_token("mail:use")

    assert _principal(path=f"/?access_token={token}").is_anonymous


@pytest.mark.parametrize("path", ["/?q=%", "/?a=1&a", "/ä?ö=ü"])
def test_the_form_of_the_query_is_not_the_tokens_matter(path):
    token = make_token()

    assert not _principal(f"Bearer {token}", path=path).is_anonymous


@pytest.mark.parametrize(("discovery", "reach"), [("all", Reach.EVERYTHING), ("none", Reach.NOTHING)])
def test_without_a_token_the_settings_say_what_is_seen(settings, discovery, reach):
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = discovery, ("tools:register",)

    principal = _principal()

    assert (principal.is_anonymous, principal.reach) == (True, reach)
    assert principal.has("tools:register")


def test_the_principal_is_the_requests_auth():
    token = make_token("mail:use")
    plain = RequestFactory().get("/", headers={"Authorization": f"Bearer {token}"})
    request = Request(plain, authenticators=[PrincipalAuthentication()])

    assert principal_of(request).has("mail:use")
    assert PrincipalAuthentication().authenticate_header(request) == "Bearer"
