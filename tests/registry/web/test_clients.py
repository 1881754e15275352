"""The page where people make clients and look after them."""

import re

import pytest
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import Permission
from django.test import Client
from oauth2_provider.models import AccessToken, RefreshToken

from oauth import scopes
from oauth.models import AccessEvent, Application, User
from registry.services import namespace
from tests.factories import NOW, make_application, make_owner, make_token
from tests.oauth.client import make_machine, post

pytestmark = pytest.mark.django_db


def ann(*permissions: str) -> User:
    user, _ = User.objects.get_or_create(username="ann")
    for permission in permissions:
        label, codename = permission.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=label, codename=codename))
    return user


def browser(user: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def make(user: User, **fields: str):
    return browser(user).post("/clients", {"name": "weather", "kind": "agent"} | fields)


def secret_on(page) -> str:
    (found,) = re.findall(r"<dt>Secret</dt>\s*<dd>\s*<code>(\w+)</code>", page.content.decode())
    return found


def text_of(page) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def test_who_is_not_logged_in_is_led_to_the_login():
    answer = Client().get("/clients")

    assert (answer.status_code, answer["Location"]) == (302, "/login?next=/clients")


def test_a_person_makes_a_client_whose_secret_is_shown_once_and_works():
    page = make(ann("oauth.add_application"))

    application = Application.objects.get()
    secret = secret_on(page)
    got = post(
        "/token",
        {"grant_type": "client_credentials", "client_id": application.client_id} | {"client_secret": secret},
    )
    assert (page.status_code, "no-store" in page["Cache-Control"]) == (201, True)
    assert (application.kind, application.user.username) == ("agent", "ann")
    assert (got.status_code, got.json()["scope"]) == (200, "tools:invoke")
    assert secret not in browser(ann()).get("/clients").content.decode()
    assert AccessEvent.objects.get(kind="client:created").actor == "person:ann"


def test_who_may_make_none_is_told_whom_to_ask():
    page = browser(ann()).get("/clients")

    answer = make(ann())

    assert "Ask who governs this registry." in text_of(page)
    assert answer.status_code == 422
    assert not Application.objects.exists()


def test_a_person_hands_on_the_scopes_and_namespaces_of_their_own_clients():
    user = ann("oauth.add_application")
    own = make_application("own", user=user)
    scopes.grant(own, ["mail:use"], by="test", now=NOW)
    namespace.own(own, ["mail-team"], by="test", now=NOW)

    make(user, kind="provider", scopes="mail:use", providers="Mail-Team")

    made = Application.objects.get(name="weather")
    assert scopes.held_by(made) == ["mail:use", "tools:register"]
    assert [row.provider.name for row in made.provider_ownerships.all()] == ["mail-team"]


@pytest.mark.parametrize(
    ("fields", "field", "permission"),
    [
        ({"scopes": "vault:use"}, "scopes", "oauth.add_scopegrant"),
        ({"scopes": "tools:admin"}, "scopes", "oauth.add_scopegrant"),
        ({"providers": "bank"}, "providers", "registry.add_providerowner"),
    ],
)
def test_nobody_gives_what_is_not_theirs(fields, field, permission):
    make_owner("bank")

    refused = make(ann("oauth.add_application"), **fields)
    allowed = make(ann("oauth.add_application", permission), **fields)

    assert refused.status_code == 403
    assert "is not yours to give; an operator can." in refused.context["form"].errors[field][0]
    assert allowed.status_code == 201


def test_only_who_governs_makes_operators():
    refused = make(ann("oauth.add_application"), kind="operator")
    allowed = make(ann("oauth.add_application", "oauth.govern"), kind="operator")

    assert (refused.status_code, allowed.status_code) == (422, 201)


@pytest.mark.parametrize(
    ("fields", "status", "field"),
    [
        ({"name": ""}, 422, "name"),
        ({"name": "a\x00b"}, 422, "name"),
        ({"name": "x" * 101}, 422, "name"),
        ({"name": "taken"}, 409, "name"),
        ({"kind": "king"}, 422, "kind"),
        ({"scopes": 'quo"te'}, 422, "scopes"),
        ({"scopes": "x" * 201}, 422, "scopes"),
        ({"providers": "-"}, 422, "providers"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_made(fields, status, field):
    make_application("taken")
    user = ann("oauth.add_application", "oauth.add_scopegrant", "registry.add_providerowner")

    answer = make(user, **fields)

    assert (answer.status_code, list(answer.context["form"].errors)) == (status, [field])
    assert Application.objects.count() == 1


def test_a_new_secret_ends_the_old_one():
    application = make_machine(user=ann())

    page = browser(ann()).post(f"/clients/{application.client_id}/secret")

    application.refresh_from_db()
    assert check_password(secret_on(page), application.client_secret)
    assert AccessEvent.objects.get(kind="client:secret:rotated").actor == "person:ann"


def test_the_tokens_of_a_client_end():
    application = make_machine(user=ann())
    make_token(application=application)
    make_token(application=make_application("other"))
    RefreshToken.objects.create(application=application, user=ann(), token="x")

    page = browser(ann()).post(f"/clients/{application.client_id}/tokens")

    assert "1 ended" in text_of(page)
    assert AccessToken.objects.get().application.name == "other"
    assert RefreshToken.objects.get().revoked is not None


@pytest.mark.parametrize("step", ["secret", "tokens"])
def test_a_client_of_somebody_else_does_not_exist(step):
    application = make_machine(user=User.objects.create(username="bob"))
    make_token(application=application)

    answers = [
        browser(ann()).post(f"/clients/{name}/{step}") for name in (application.client_id, "none", "a%00b")
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert AccessToken.objects.exists()
    assert application.client_id not in browser(ann()).get("/clients").content.decode()


@pytest.mark.parametrize("path", ["/clients", "/clients/x/secret", "/clients/x/tokens"])
def test_forms_need_their_csrf_token(path):
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann("oauth.add_application"))

    assert client.post(path, {"name": "weather", "kind": "agent"}).status_code == 403


def test_names_are_text():
    make_application("<b>own</b>", user=ann())

    assert "<b>own</b>" not in browser(ann()).get("/clients").content.decode()


def test_the_page_needs_as_many_queries_for_many_clients(django_assert_max_num_queries):
    for number in range(10):
        scopes.grant(make_application(f"own-{number}", user=ann()), ["mail:use"], by="test", now=NOW)
    client = browser(ann())

    with django_assert_max_num_queries(12):
        client.get("/clients")
