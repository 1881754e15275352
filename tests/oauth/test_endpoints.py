"""`POST /token` for machines: forms and JSON, authentication of clients, scopes, resources, lifetimes."""

import json

import pytest
from django.db import connection
from django.test import Client
from oauth2_provider.models import AccessToken

from oauth import resources
from tests.oauth.client import SECRET, basic, credentials, make_machine, make_peoples_client, post, post_json

pytestmark = pytest.mark.django_db

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def _error(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


@pytest.mark.parametrize("send", [post, post_json])
def test_a_machine_gets_a_token_by_form_and_by_json(send):
    application = make_machine("mail:use", "sms:use")

    answer = send("/token", credentials(application, scope="mail:use"))

    body = answer.json()
    assert answer.status_code == 200
    assert set(body) == {"access_token", "expires_in", "token_type", "scope"}
    assert (body["token_type"], body["scope"], body["expires_in"]) == ("Bearer", "mail:use", 3600)


@pytest.mark.parametrize("fields", [{}, {"client_id": None, "client_secret": None}])
def test_a_machine_may_authenticate_by_basic(fields):
    application = make_machine("mail:use")
    sent = {"grant_type": "client_credentials", **fields}

    answer = post_json("/token", sent, headers=basic(application.client_id))

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "asked",
    [
        {"scope": "mail:use sms:use"},
        {"scope": ["mail:use", "sms:use"]},
        {"scopes": "mail:use sms:use"},
        {"scopes": ["sms:use", "mail:use"]},
        {"scope": None},
        {"scope": []},
        {},
    ],
)
def test_json_may_spell_scopes_in_every_way_that_published_clients_do(asked):
    application = make_machine("mail:use", "sms:use")

    answer = post_json("/token", credentials(application, **asked))

    assert sorted(answer.json()["scope"].split()) == ["mail:use", "sms:use"]


@pytest.mark.parametrize(
    "body",
    [
        b" ",
        b"{",
        b"[]",
        b"null",
        b'"grant_type=client_credentials"',
        b"\xff",
        b'{"grant_type": 1}',
        b'{"grant_type": ["client_credentials"]}',
        b'{"grant_type": "client_credentials", "scope": {"mail:use": true}}',
        b'{"grant_type": "client_credentials", "scope": [1]}',
        b'{"grant_type": "client_credentials", "client_id": "\\u0000"}',
        b'{"grant_type": "client_credentials", "client_id": "\\ud800"}',
        b'{"grant_type": "a", "grant_type": "b"}',
        b'{"scope": "a", "scopes": "b", "grant_type": "client_credentials"}',
        b'{"scope": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"scope": "' + b"x" * 100_000 + b'"}',
    ],
)
def test_json_that_is_no_token_request_is_invalid(body):
    assert _error(post_json("/token", body)) == (400, "invalid_request")


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "", "application/json-seq", "x"])
def test_other_content_types_hold_no_token_request(content_type):
    application = make_machine()

    answer = post("/token", json.dumps(credentials(application)), content_type=content_type)

    assert _error(answer) == (400, "unsupported_grant_type")


def test_json_with_a_character_set_is_json():
    application = make_machine()
    sent = json.dumps(credentials(application))

    answer = post("/token", sent, content_type="Application/JSON; charset=utf-8")

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        {"client_secret": "wrong"},
        {"client_secret": ""},
        {"client_id": "unknown"},
        {"client_id": ""},
        {"client_id": "https://client.example/metadata.json"},
    ],
)
@pytest.mark.parametrize("send", [post, post_json])
def test_who_is_no_client_is_told_no_more(send, fields):
    application = make_machine()

    assert _error(send("/token", credentials(application, **fields))) == (401, "invalid_client")


@pytest.mark.parametrize("header", [basic("unknown"), basic("", ""), {"authorization": "Bearer x"}])
def test_who_is_no_client_by_header_is_none_either(header):
    answer = post("/token", {"grant_type": "client_credentials"}, headers=header)

    assert _error(answer) == (401, "invalid_client")


@pytest.mark.parametrize("text", ["", "x", "é", "!!!!", "/////w==", "_" * 3, "YQBiOng=", "YSUwMGI6eA=="])
def test_a_basic_header_that_nobody_can_read_is_refused(text):
    answer = post("/token", {"grant_type": "client_credentials"}, headers={"authorization": f"Basic {text}"})

    assert answer.status_code in {400, 401}


def test_a_secret_of_another_client_opens_nothing():
    make_machine(name="other", client_secret="another")
    application = make_machine()

    answer = post("/token", credentials(application, client_secret="another"))

    assert _error(answer) == (401, "invalid_client")


def test_a_public_client_gets_no_token_by_its_name_alone():
    application = make_peoples_client("mail:use", authorization_grant_type="client-credentials")

    answer = post("/token", {"grant_type": "client_credentials", "client_id": application.client_id})

    assert _error(answer) == (401, "invalid_client")


@pytest.mark.parametrize("scope", ["other", "mail:use other", "MAIL:USE", "tools:admin", "mail:use\tother"])
def test_a_scope_that_was_not_granted_is_invalid(scope):
    application = make_machine("mail:use")

    assert _error(post("/token", credentials(application, scope=scope))) == (400, "invalid_scope")


@pytest.mark.parametrize("grant_type", ["password", "implicit", "token", DEVICE, "", "x", "jwt-bearer"])
@pytest.mark.parametrize("registered_for", ["client-credentials", "password", DEVICE])
def test_other_grants_are_not_there_whatever_the_client_is_registered_for(grant_type, registered_for):
    application = make_machine(authorization_grant_type=registered_for)
    sent = credentials(application, grant_type=grant_type, username="ann", password="x", device_code="x")

    assert _error(post("/token", sent)) == (400, "unsupported_grant_type")


def test_a_machine_has_no_other_grant_than_its_own():
    application = make_machine()
    sent = credentials(application, grant_type="authorization_code", code="x", redirect_uri="http://x")

    assert _error(post("/token", sent))[0] == 400


def test_peoples_clients_get_no_tokens_without_people():
    application = make_peoples_client(client_type="confidential")

    assert _error(post("/token", credentials(application))) == (400, "unauthorized_client")


@pytest.mark.parametrize("secret", [SECRET, "wrong"])
def test_no_cache_keeps_an_answer(secret):
    application = make_machine()

    answer = post("/token", credentials(application, client_secret=secret))

    assert "no-store" in answer["Cache-Control"]


def test_tokens_are_only_sent_for():
    application = make_machine()

    for method in ("get", "put", "delete", "head"):
        assert getattr(Client(), method)("/token", credentials(application)).status_code == 405


def test_credentials_in_the_url_are_refused():
    application = make_machine()
    query = "&".join(f"{name}={value}" for name, value in credentials(application).items())

    assert _error(post(f"/token?{query}")) == (400, "invalid_request")


@pytest.mark.parametrize("field", ["grant_type", "client_id", "client_secret", "scope", "resource", "x\0"])
def test_nul_is_refused(field):
    application = make_machine()

    assert _error(post("/token", credentials(application, **{field: "a\0b"}))) == (400, "invalid_request")


def test_without_a_scope_a_machine_gets_all_that_it_was_granted():
    application = make_machine("mail:use", "sms:use")

    answer = post("/token", credentials(application))

    assert answer.json()["scope"] == "mail:use sms:use"


@pytest.mark.parametrize("fields", [{}, {"scope": ""}])
def test_without_a_grant_a_machine_gets_a_token_without_scopes(fields):
    answer = post("/token", credentials(make_machine(), **fields))

    assert answer.status_code == 200
    assert answer.json()["scope"] == ""


@pytest.mark.parametrize(
    "resource",
    [
        [],
        [""],
        ["http://localhost:8006"],
        ["http://localhost:8006/"],
        ["http://localhost:8006/mcp"],
        ["http://localhost:8006/mcp/"],
        ["HTTP://LOCALHOST:8006"],
        ["http://localhost:8006", "http://localhost:8006/mcp"],
    ],
)
def test_every_spelling_of_us_binds_the_token_to_us(resource):
    post("/token", credentials(make_machine(), resource=resource))

    assert AccessToken.objects.get().resource == ["http://localhost:8006"]


@pytest.mark.parametrize(
    "resource",
    [
        ["https://elsewhere.example"],
        ["https://localhost:8006"],
        ["http://localhost"],
        ["http://localhost:80"],
        ["http://localhost:8006/api"],
        ["http://localhost:8006//"],
        ["http://localhost:8006/mcp?x"],
        ["http://localhost:8006/#x"],
        ["http://x@localhost:8006"],
        ["http://localhost:8006@elsewhere.example"],
        ["http://localhost:8006.elsewhere.example"],
        ["http://localhost:port"],
        ["http://[::1"],
        ["localhost:8006"],
        ["/"],
        ["garbage"],
        ["http://localhost:8006", "https://elsewhere.example"],
        ["https://elsewhere.example", "http://localhost:8006"],
    ],
)
def test_another_resource_is_an_invalid_target(resource):
    answer = post("/token", credentials(make_machine(), resource=resource))

    assert _error(answer) == (400, "invalid_target")
    assert not AccessToken.objects.exists()


@pytest.mark.parametrize(
    ("public_url", "resource"),
    [
        ("https://tools.example", "https://tools.example:443"),
        ("https://tools.example:443", "https://tools.example"),
        ("http://tools.example", "http://tools.example:80/mcp"),
        ("https://tools.example/roster", "https://tools.example/roster/"),
        ("https://tools.example/roster", "https://TOOLS.example/roster/mcp"),
    ],
)
def test_the_default_port_may_be_written_out(settings, public_url, resource):
    settings.PUBLIC_URL = public_url

    assert resources.is_ours(resource)


def test_neither_token_nor_secret_is_in_the_database():
    application = make_machine("mail:use")

    token = post("/token", credentials(application)).json()["access_token"]

    stored = _everything_stored()
    assert application.client_id in stored
    assert token not in stored
    assert SECRET not in stored


def _everything_stored() -> str:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        texts = []
        for table in tables:
            cursor.execute(f'SELECT row_to_json(t)::text FROM "{table}" t')
            texts += [row for (row,) in cursor.fetchall()]
    return "\n".join(texts)
