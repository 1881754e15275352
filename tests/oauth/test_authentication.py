"""From a request to its principal."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import RequestFactory
from django.utils import timezone
from oauth2_provider.models import AccessToken
from rest_framework.request import Request

from oauth.authentication import PrincipalAuthentication, authenticate, principal_of
from oauth.principal import Principal, Reach
from tests.factories import make_application
from toolroster.errors import Unauthenticated

pytestmark = pytest.mark.django_db


def _make_token(text: str = "secret", *, minutes: int = 60, **changes) -> str:
    values = {
        "token": text,
        "scope": "mail:use sms:use",
        "expires": timezone.now() + timedelta(minutes=minutes),
    }
    AccessToken.objects.create(**values | changes)
    return text


def _principal(authorization: str | None = None, path: str = "/api/tools/available") -> Principal:
    headers = {} if authorization is None else {"Authorization": authorization}
    return authenticate(RequestFactory().get(path, headers=headers))[0]


def test_a_token_brings_its_application_scopes_and_roles():
    application = make_application(roles=["clerk"])
    token = _make_token(application=application)

    principal = _principal(f"Bearer {token}")

    assert principal == Principal(
        application.pk, None, frozenset({"mail:use", "sms:use"}), frozenset({"clerk"}), Reach.BY_SCOPE
    )


def test_a_persons_token_brings_the_person():
    user = get_user_model().objects.create_user("ann")
    token = _make_token(user=user, application=make_application())
    request = RequestFactory().get("/", headers={"Authorization": f"Bearer {token}"})

    principal, found = authenticate(request)

    assert (principal.user_id, found) == (user.pk, user)


def test_a_token_without_an_application_has_no_roles():
    user = get_user_model().objects.create_user("ann")
    token = _make_token(user=user)

    assert _principal(f"Bearer {token}").roles == frozenset()


@pytest.mark.parametrize(
    "authorization",
    ["Bearer wrong", "Bearer", "Bearer ", "", "Basic c2VjcmV0", "secret", "Token secret", "Bearer secret x"],
)
def test_what_is_no_valid_token_is_never_anonymous(authorization):
    _make_token(application=make_application())

    with pytest.raises(Unauthenticated) as caught:
        _principal(authorization)

    assert (caught.value.code, caught.value.status) == ("unauthenticated", 401)


def test_an_expired_token_is_no_token():
    token = _make_token(minutes=-1, application=make_application())

    with pytest.raises(Unauthenticated, match="invalid or has expired"):
        _principal(f"Bearer {token}")


def test_a_token_in_the_query_does_not_count():
    token = _make_token(application=make_application())

    assert _principal(path=f"/?access_token={token}").is_anonymous


@pytest.mark.parametrize("path", ["/?q=%", "/?a=1&a", "/ä?ö=ü"])
def test_the_form_of_the_query_is_not_the_tokens_matter(path):
    token = _make_token(application=make_application())

    assert not _principal(f"Bearer {token}", path=path).is_anonymous


@pytest.mark.parametrize(("discovery", "reach"), [("all", Reach.EVERYTHING), ("none", Reach.NOTHING)])
def test_without_a_token_the_settings_say_what_is_seen(settings, discovery, reach):
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = discovery, ("tools:register",)

    principal = _principal()

    assert (principal.is_anonymous, principal.reach) == (True, reach)
    assert principal.has("tools:register")


def test_the_principal_is_the_requests_auth():
    token = _make_token(application=make_application())
    plain = RequestFactory().get("/", headers={"Authorization": f"Bearer {token}"})
    request = Request(plain, authenticators=[PrincipalAuthentication()])

    assert principal_of(request).has("mail:use")
    assert PrincipalAuthentication().authenticate_header(request) == "Bearer"
