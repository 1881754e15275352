"""`POST /introspect` (RFC 7662): what a tool service learns of a caller's token."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken

from oauth import tokens
from oauth.models import ScopeGrant
from tests.factories import make_token
from tests.oauth.client import SECRET, basic, make_machine, make_peoples_client, post, token_of

pytestmark = pytest.mark.django_db

ISSUER = "http://localhost:8006"


@pytest.fixture
def service():
    return make_machine("introspection", name="service")


def _asked(service, token: str):
    return post("/introspect", {"token": token}, headers=basic(service.client_id))


def test_a_service_learns_everything_of_a_machines_token(service):
    agent = make_machine("mail:use", "sms:use", name="agent", roles=["clerk"])
    token = token_of(agent, scope="mail:use sms:use")
    row = AccessToken.objects.get()

    answer = _asked(service, token)

    assert answer.json() == {
        "active": True,
        "scope": "mail:use sms:use",
        "client_id": agent.client_id,
        "username": None,
        "token_type": "Bearer",
        "exp": int(row.expires.timestamp()),
        "iat": int(row.created.timestamp()),
        "sub": agent.client_id,
        "aud": [ISSUER],
        "iss": ISSUER,
        "roles": ["clerk"],
    }
    assert "no-store" in answer["Cache-Control"]


def test_a_persons_token_names_the_person(service):
    user = get_user_model().objects.create_user("ann")
    token = make_token("mail:use", user=user)

    body = _asked(service, token).json()

    assert (body["sub"], body["username"]) == (f"user:{user.pk}", "ann")


def test_the_services_may_send_their_secret_in_the_body(service):
    sent = {"token": make_token(), "client_id": service.client_id, "client_secret": SECRET}

    assert post("/introspect", sent).json()["active"] is True


def test_a_withdrawn_grant_is_not_in_the_scopes(service):
    token = make_token("mail:use sms:use")
    ScopeGrant.objects.filter(scope__name="sms:use").delete()

    assert _asked(service, token).json()["scope"] == "mail:use"


@pytest.mark.parametrize("token", ["", "unknown", "a b", "x" * 5000, "é"])
def test_what_is_no_token_is_inactive_and_nothing_more(service, token):
    answer = _asked(service, token)

    assert (answer.status_code, answer.json()) == (200, {"active": False})


def test_without_a_token_nothing_is_active(service):
    assert post("/introspect", headers=basic(service.client_id)).json() == {"active": False}


def test_an_expired_token_is_inactive(service):
    token = make_token("mail:use")
    AccessToken.objects.update(expires=AccessToken.objects.get().expires - timedelta(hours=2))

    assert _asked(service, token).json() == {"active": False}


def test_a_revoked_token_is_inactive_at_once_although_it_was_seen_a_moment_before(service):
    agent = make_machine("mail:use", name="agent")
    token = token_of(agent)
    before = _asked(service, token).json()

    post("/revoke", {"token": token}, headers=basic(agent.client_id))

    assert before["active"] is True
    assert _asked(service, token).json() == {"active": False}


def test_a_deleted_application_s_token_is_inactive_at_once(service):
    agent = make_machine("mail:use", name="agent")
    token = token_of(agent)
    _asked(service, token)

    agent.delete()

    assert _asked(service, token).json() == {"active": False}


@pytest.mark.parametrize(
    "headers", [{}, basic("unknown"), basic(""), {"authorization": "Bearer x"}, {"authorization": "Basic é"}]
)
def test_a_stranger_learns_nothing(headers):
    answer = post("/introspect", {"token": make_token()}, headers=headers)

    assert answer.status_code in {400, 401}
    assert "active" not in answer.json()


def test_a_stranger_is_told_how_clients_authenticate():
    answer = post("/introspect", {"token": "x"})

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Basic ")


def test_a_wrong_secret_learns_nothing(service):
    answer = post("/introspect", {"token": make_token()}, headers=basic(service.client_id, "wrong"))

    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


def test_an_access_token_does_not_authenticate_a_client():
    token = make_token("introspection")

    answer = post("/introspect", {"token": token}, headers={"authorization": f"Bearer {token}"})

    assert answer.status_code == 401


def test_a_client_without_the_scope_is_refused():
    agent = make_machine("mail:use", name="agent")

    answer = _asked(agent, make_token())

    assert (answer.status_code, answer.json()["error"]) == (403, "insufficient_scope")


def test_a_client_from_whom_the_scope_was_withdrawn_is_refused(service):
    ScopeGrant.objects.filter(application=service).delete()

    assert _asked(service, make_token()).status_code == 403


@pytest.mark.parametrize("secret", ["", "known-to-all"])
def test_a_public_client_is_a_stranger_whatever_it_was_granted(secret):
    desktop = make_peoples_client("introspection", client_secret=secret)
    sent = {"token": make_token(), "client_id": desktop.client_id, "client_secret": secret}

    assert post("/introspect", sent).status_code == 401


@pytest.mark.parametrize("method", ["get", "head", "put", "delete", "patch"])
def test_only_a_post_is_answered(service, method):
    answer = getattr(Client(), method)("/introspect", {"token": "x"}, headers=basic(service.client_id))

    assert answer.status_code == 405


def test_a_token_in_the_url_is_not_looked_at(service):
    token = make_token()

    in_url = post(f"/introspect?token={token}", headers=basic(service.client_id))
    secret_in_url = post(
        f"/introspect?client_id={service.client_id}&client_secret={SECRET}", {"token": token}
    )

    assert (in_url.status_code, secret_in_url.status_code) == (400, 400)


def test_an_audience_of_others_is_told_as_it_is(service):
    token = make_token(audience=["https://elsewhere.example"])

    assert _asked(service, token).json()["aud"] == ["https://elsewhere.example"]


def test_introspection_reads_the_caches_of_all_checks(service):
    token = make_token("mail:use")
    _asked(service, token)

    assert tokens.is_remembered(token, now=timezone.now())
