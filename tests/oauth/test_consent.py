"""The authorization code flow of people's clients, with a browser that a person is logged in with."""

from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from oauth.models import ScopeGrant
from tests.oauth.client import (
    CALLBACK,
    VERIFIER,
    answer_page,
    asking,
    basic,
    code_for,
    consent,
    logged_in,
    make_machine,
    make_peoples_client,
    post,
    redeem,
    refresh,
    returned,
)
from tests.racing import at_once
from tests.registry.api.client import get_json

pytestmark = pytest.mark.django_db

ISSUER = "http://localhost:8006"


def _error(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def _tokens(*granted: str):
    application = make_peoples_client(*granted)
    return application, redeem(application, code_for(application)).json()


def _seen_with(token: str) -> int:
    return get_json("/api/tools/available", headers={"authorization": f"Bearer {token}"}).status_code


def test_a_person_lets_a_client_act_for_ten_minutes():
    application = make_peoples_client("mail:use", "sms:use")

    answer = redeem(application, code_for(application, scope="mail:use"))

    body = answer.json()
    assert answer.status_code == 200
    assert (body["scope"], body["expires_in"], body["token_type"]) == ("mail:use", 600, "Bearer")
    assert AccessToken.objects.get().user.username == "ann"
    assert _seen_with(body["access_token"]) == 200


def test_the_code_comes_with_the_state_and_the_issuer():
    application = make_peoples_client("mail:use")

    back = returned(consent(logged_in(), application))

    assert set(back) == {"code", "state", "iss"}
    assert (back["state"], back["iss"]) == ("a-state", ISSUER)


def test_a_refusal_comes_with_the_state_and_the_issuer_as_well():
    application = make_peoples_client("mail:use")

    back = returned(answer_page(logged_in(), application, {}))

    assert (back["error"], back["state"], back["iss"]) == ("access_denied", "a-state", ISSUER)
    assert not Grant.objects.exists()


def test_nobody_consents_without_logging_in():
    application = make_peoples_client("mail:use")

    answer = Client().get("/authorize", asking(application))

    assert answer.status_code == 302
    assert urlsplit(answer["Location"]).path == "/login"
    assert not Grant.objects.exists()


def test_the_page_asks_before_a_code_is_given():
    application = make_peoples_client("mail:use")

    answer = logged_in().get("/authorize", asking(application))

    assert answer.status_code == 200
    assert "mail:use" in answer.content.decode()
    assert not Grant.objects.exists()
    assert answer["X-Frame-Options"] == "DENY"


def test_consent_needs_the_forms_own_csrf_token():
    application = make_peoples_client("mail:use")
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(get_user_model().objects.create_user("ann"))

    answer = browser.post("/authorize", asking(application, scope="mail:use", allow="Authorize"))

    assert answer.status_code == 403
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge_method": "S512"},
        {"response_type": "token"},
        {"response_type": "code token"},
        {"response_type": "x"},
        {"scope": "tools:admin"},
        {"resource": "https://elsewhere.example"},
        {"resource": [ISSUER, "https://elsewhere.example"]},
        {"resource": "garbage"},
    ],
)
def test_a_weak_or_foreign_request_gets_an_error_and_no_code(fields):
    application = make_peoples_client("mail:use")

    back = returned(consent(logged_in(), application, **fields))

    assert "error" in back
    assert "code" not in back
    assert back["iss"] == ISSUER
    assert not Grant.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": "http://127.0.0.1/callback/more"},
        {"redirect_uri": "http://127.0.0.1/other"},
        {"redirect_uri": "http://127.0.0.1.evil.example/callback"},
        {"redirect_uri": "http://evil@127.0.0.1/callback"},
        {"redirect_uri": "http://127.0.0.1/callback?x=1"},
        {"redirect_uri": "http://127.0.0.1/callback#x"},
        {"redirect_uri": "https://127.0.0.1/callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"client_id": "unknown"},
        {"client_id": None},
        {"client_id": "a\0b"},
    ],
)
def test_nobody_is_led_to_an_address_that_is_not_registered(fields):
    application = make_peoples_client("mail:use")

    answer = consent(logged_in(), application, **fields)

    assert answer.status_code == 400
    assert not answer.has_header("Location")


@pytest.mark.parametrize("field", ["state", "scope", "code_challenge", "redirect_uri", "resource", "nonce"])
def test_nul_in_a_request_is_no_error_of_ours(field):
    application = make_peoples_client("mail:use")

    assert consent(logged_in(), application, **{field: "a\0b"}).status_code < 500


def test_a_desktop_client_listens_on_any_port():
    application = make_peoples_client("mail:use")

    answer = consent(logged_in(), application, redirect_uri="http://127.0.0.1:53682/callback")

    assert answer["Location"].startswith("http://127.0.0.1:53682/callback?code=")


@pytest.mark.parametrize("resource", [None, ISSUER + "/", ISSUER + "/mcp", [ISSUER, ISSUER + "/mcp"]])
@pytest.mark.parametrize("later", [None, ISSUER, ISSUER + "/mcp/"])
def test_every_spelling_of_us_fits_every_other(resource, later):
    application = make_peoples_client("mail:use")
    code = code_for(application, resource=resource)

    answer = redeem(application, code, resource=later)

    assert answer.status_code == 200, answer.content
    assert AccessToken.objects.get().resource == [ISSUER]


@pytest.mark.parametrize(
    "fields",
    [
        {"code_verifier": None},
        {"code_verifier": ""},
        {"code_verifier": "w" * 64},
        {"code_verifier": VERIFIER + "v"},
        {"redirect_uri": "http://127.0.0.1/other"},
        {"redirect_uri": CALLBACK + "/"},
        {"code": "another"},
        {"code": "a\0b"},
        {"resource": "https://elsewhere.example"},
        {"client_id": "unknown"},
    ],
)
def test_a_code_counts_only_with_everything_that_it_was_given_for(fields):
    application = make_peoples_client("mail:use")
    code = code_for(application)

    answer = redeem(application, **{"code": code} | fields)

    assert answer.status_code in {400, 401}
    assert not AccessToken.objects.exists()


def test_a_code_is_good_once():
    application = make_peoples_client("mail:use")
    code = code_for(application)
    first = redeem(application, code)

    second = redeem(application, code)

    assert (first.status_code, _error(second)) == (200, (400, "invalid_grant"))


def test_a_code_is_its_clients_alone():
    application = make_peoples_client("mail:use")
    other = make_peoples_client("mail:use", name="other")

    answer = redeem(other, code_for(application))

    assert _error(answer) == (400, "invalid_grant")


def test_an_application_without_grants_gets_a_token_that_opens_what_needs_none():
    application = make_peoples_client()

    answer = redeem(application, code_for(application))

    assert answer.json()["scope"] == ""
    assert _seen_with(answer.json()["access_token"]) == 200


def test_refresh_tokens_rotate_and_end_the_access_token_before():
    application, first = _tokens("mail:use")

    second = refresh(application, first["refresh_token"]).json()

    assert second["refresh_token"] != first["refresh_token"]
    assert (second["expires_in"], second["scope"]) == (600, "mail:use")
    assert AccessToken.objects.count() == 1
    assert _seen_with(second["access_token"]) == 200
    assert _seen_with(first["access_token"]) == 401


def test_a_refresh_token_that_comes_twice_ends_the_whole_family():
    application, first = _tokens("mail:use")
    second = refresh(application, first["refresh_token"]).json()

    again = refresh(application, first["refresh_token"])

    assert _error(again) == (400, "invalid_grant")
    assert _error(refresh(application, second["refresh_token"])) == (400, "invalid_grant")
    assert not AccessToken.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_several_refreshes_at_once_one_gets_tokens():
    for number in range(5):
        application = make_peoples_client("mail:use", name=f"desktop-{number}")
        first = redeem(application, code_for(application)).json()

        answers = at_once(*[partial(refresh, application, first["refresh_token"])] * 3)

        assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
        assert {answer.json().get("error") for answer in answers} == {None, "invalid_grant"}


@pytest.mark.django_db(transaction=True)
def test_of_several_uses_of_a_code_at_once_one_gets_tokens():
    application = make_peoples_client("mail:use")
    code = code_for(application)

    answers = at_once(*[partial(redeem, application, code)] * 3)

    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "mail:use tools:admin"},
        {"resource": "https://elsewhere.example"},
        {"refresh_token": "another"},
        {"client_id": "unknown"},
    ],
)
def test_refreshing_widens_nothing(fields):
    application, first = _tokens("mail:use")

    answer = refresh(application, **{"refresh_token": first["refresh_token"]} | fields)

    assert answer.status_code in {400, 401}


def test_a_refresh_token_is_its_clients_alone():
    _, first = _tokens("mail:use")
    other = make_peoples_client("mail:use", name="other")

    assert _error(refresh(other, first["refresh_token"])) == (400, "invalid_grant")


def test_a_refreshed_token_has_no_scope_that_was_withdrawn():
    application, first = _tokens("mail:use", "sms:use")
    ScopeGrant.objects.filter(scope__name="sms:use").delete()

    token = refresh(application, first["refresh_token"]).json()["access_token"]

    answer = get_json("/", headers={"authorization": f"Bearer {token}"})
    assert answer.json()["scopes"] == ["mail:use"]


def test_whose_account_was_closed_gets_no_new_tokens():
    application, first = _tokens("mail:use")
    get_user_model().objects.update(is_active=False)

    assert _error(refresh(application, first["refresh_token"])) == (400, "invalid_grant")


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
@pytest.mark.parametrize("hint", [None, "access_token", "refresh_token", "nonsense"])
def test_revoking_either_token_ends_both(kind, hint):
    application, first = _tokens("mail:use")
    sent = {"token": first[kind], "client_id": application.client_id}

    answer = post("/revoke", sent | ({"token_type_hint": hint} if hint else {}))

    assert answer.status_code == 200
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.filter(revoked=None).exists()
    assert _error(refresh(application, first["refresh_token"])) == (400, "invalid_grant")


def test_a_stranger_revokes_nothing():
    application, first = _tokens("mail:use")
    stranger = make_machine(name="stranger")
    sent = {"token": first["access_token"]}

    by_stranger = post("/revoke", sent, headers=basic(stranger.client_id))
    by_nobody = post("/revoke", sent)
    in_the_url = post(f"/revoke?token={first['access_token']}&client_id={application.client_id}")

    assert by_stranger.status_code == 200  # RFC 7009 §2.2: it does not tell what exists
    assert by_nobody.status_code == 401
    assert in_the_url.status_code == 400
    assert AccessToken.objects.exists()


def test_what_was_revoked_already_is_no_error():
    application, first = _tokens("mail:use")
    sent = {"token": first["access_token"], "client_id": application.client_id}

    assert [post("/revoke", sent).status_code for _ in range(2)] == [200, 200]


def test_the_codes_address_keeps_what_the_client_had_in_it():
    application = make_peoples_client("mail:use", redirect_uris=CALLBACK + "?iss=evil&tenant=1")

    answer = consent(logged_in(), application, redirect_uri=CALLBACK + "?iss=evil&tenant=1")

    back = parse_qs(urlsplit(answer["Location"]).query)
    assert (back["iss"], back["tenant"]) == ([ISSUER], ["1"])
