"""Attacks on the API with tokens that are not, or are not for this: each with its refusal."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from oauth2_provider.models import AccessToken

from oauth import tokens
from registry.models import Provider, ProviderOwner
from tests.factories import NOW, make_application, make_document, make_registration, make_token
from tests.oauth.client import basic, make_machine, post, token_of
from tests.registry.api.client import everything_stored, get_json, is_problem, post_json

pytestmark = pytest.mark.django_db

TOOL_ID = "mail-team:send_email:1.0.0"
READS = ["/", "/api/tools/available", f"/api/tools/{TOOL_ID}", "/api/sessions", "/stats", "/tools/send_email"]
WRITES = {
    "/api/tools/register": make_document(version="6.6.6"),
    "/api/tools/heartbeat": {"tool_ids": [TOOL_ID], "provider_instance": "evil"},
    "/api/tools/deregister": {"tool_ids": [TOOL_ID]},
    **{f"/api/tools/{TOOL_ID}/{step}": {} for step in ("deprecate", "yank", "restore", "retire")},
    "/tools/register": {"name": "evil", "provider": "mail-team", "endpoint": "/x", "scopes": []},
}


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def _owning(*names: str, scope: str = "tools:register") -> str:
    application = make_application(f"owner of {names}")
    for name in names:
        provider, _ = Provider.objects.get_or_create(name=name, defaults={"created_at": NOW})
        ProviderOwner.objects.create(provider=provider, application=application, since=NOW)
    return make_token(scope, application=application)


def _for_another_audience() -> str:
    return make_token("tools:register", audience=["https://elsewhere.example"])


def _for_no_audience() -> str:
    return make_token("tools:register", audience=[])


def _expired() -> str:
    return make_token("tools:register", seconds=-1)


def _revoked() -> str:
    agent = make_machine("tools:register")
    token = token_of(agent)
    post("/revoke", {"token": token}, headers=basic(agent.client_id))
    return token


def _tampered() -> str:
    token = make_token("tools:register")
    return ("b" if token[0] == "a" else "a") + token[1:]


def _lengthened() -> str:
    return make_token("tools:register") + "="


def _of_a_deleted_application() -> str:
    application = make_application("gone")
    token = make_token("tools:register", application=application)
    application.delete()
    return token


def _of_a_closed_account() -> str:
    user = get_user_model().objects.create_user("gone", is_active=False)
    return make_token("tools:register", user=user)


def _a_checksum() -> str:
    """Return what is stored of a token, as who reads the database would send it."""
    make_token("tools:register")
    return AccessToken.objects.get().token_checksum


BAD_TOKENS = [
    _for_another_audience,
    _for_no_audience,
    _expired,
    _revoked,
    _tampered,
    _lengthened,
    _of_a_deleted_application,
    _of_a_closed_account,
    _a_checksum,
]


@pytest.mark.parametrize("make", BAD_TOKENS)
def test_a_bad_token_reads_nothing_although_everybody_could_without_one(make):
    make_registration(endpoint={"url": "http://h/x"})
    headers = _bearer(make())

    for path in READS:
        is_problem(get_json(path, headers=headers), 401, "invalid_token")
        assert get_json(path).status_code == 200


@pytest.mark.parametrize("make", BAD_TOKENS)
def test_a_bad_token_writes_nothing_although_everybody_could_without_one(make):
    make_registration(instance="host-1")
    headers, before = _bearer(make()), everything_stored()

    for path, body in WRITES.items():
        is_problem(post_json(path, body, headers=headers), 401, "invalid_token")

    assert everything_stored() == before


@pytest.mark.parametrize("make", BAD_TOKENS)
def test_a_bad_token_opens_no_page(make):
    make_registration()

    answer = Client().get(f"/catalogue/{TOOL_ID}", headers=_bearer(make()) | {"accept": "text/html"})

    assert answer.status_code == 401
    assert "Send an email." not in answer.content.decode()


@pytest.mark.parametrize("scope", ["", "mail:use", "tools:invoke introspection", "tools"])
def test_a_stolen_agents_token_writes_nothing(scope):
    make_registration(instance="host-1")
    headers, before = _bearer(_owning("mail-team", scope=scope)), everything_stored()

    for path, body in WRITES.items():
        answer = post_json(path, body, headers=headers)
        is_problem(answer, 403, "insufficient_scope")
        assert 'scope="tools:register"' in answer["WWW-Authenticate"]

    assert everything_stored() == before


def test_a_scope_that_was_withdrawn_writes_nothing():
    application = make_application()
    token = make_token("tools:register", application=application)
    application.scope_grants.all().delete()

    is_problem(post_json("/api/tools/register", make_document(), headers=_bearer(token)), 403)


def test_nobody_writes_in_a_namespace_of_others():
    make_registration(instance="host-1")
    _owning("mail-team")
    headers, before = _bearer(_owning("other-team")), everything_stored()

    registered = post_json("/api/tools/register", WRITES["/api/tools/register"], headers=headers)
    beaten = post_json("/api/tools/heartbeat", WRITES["/api/tools/heartbeat"], headers=headers)
    ended = post_json("/api/tools/deregister", WRITES["/api/tools/deregister"], headers=headers)
    seeded = post_json("/tools/register", WRITES["/tools/register"], headers=headers)

    for step in ("deprecate", "yank", "restore", "retire"):
        is_problem(post_json(f"/api/tools/{TOOL_ID}/{step}", {}, headers=headers), 403, "insufficient_scope")
    is_problem(registered, 403, "permission_missing")
    is_problem(seeded, 403, "permission_missing")
    assert (beaten.status_code, beaten.json()["results"][0]["outcome"]) == (404, "unknown")
    assert (ended.status_code, ended.json()["results"][0]["outcome"]) == (404, "unknown")
    assert everything_stored() == before


def test_a_batch_for_a_namespace_of_others_changes_nothing_there():
    make_registration(instance="host-1")
    _owning("mail-team")
    headers, before = _bearer(_owning("other-team")), everything_stored()
    batch = {"provider_instance": "host-1", "tools": [make_document(), make_document(version="2.0.0")]}

    answer = post_json("/api/tools/register", batch, headers=headers)

    assert [result["problem"]["status"] for result in answer.json()["results"]] == [403, 403]
    assert everything_stored() == before


def test_a_closed_namespace_is_refused_with_what_helps(settings):
    settings.NAMESPACE_CLAIMS_OPEN = False

    answer = post_json("/api/tools/register", make_document(), headers=_bearer(make_token("tools:register")))

    problem = is_problem(answer, 403, "permission_missing")
    assert "mail-team" in problem["detail"]
    assert "operator" in problem["detail"]


def test_an_owner_writes_in_its_namespace():
    headers = _bearer(_owning("mail-team"))

    registered = post_json("/api/tools/register", make_document(), headers=headers)
    beaten = post_json("/api/tools/heartbeat", WRITES["/api/tools/heartbeat"], headers=headers)
    ended = post_json("/api/tools/deregister", WRITES["/api/tools/deregister"], headers=headers)

    assert (registered.status_code, beaten.status_code, ended.status_code) == (200, 200, 200)


@pytest.mark.parametrize("name", ["access_token", "token", "authorization", "Authorization", "bearer"])
def test_a_token_in_the_url_is_nobodys(settings, name):
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = "none", ()
    make_registration(endpoint={"url": "http://h/x"})
    token = make_token("tools:register")

    read = get_json(f"/?{name}={token}")
    written = post_json(f"/api/tools/register?{name}={token}", make_document(version="2.0.0"))

    assert (read.json()["authenticated"], read.json()["tools"]) == (False, [])
    is_problem(written, 401, "unauthenticated")


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded"])
def test_a_token_in_the_body_is_nobodys(settings, content_type):
    settings.ANONYMOUS_SCOPES = ()
    token = make_token("tools:register")
    body = json.dumps(make_document(access_token=token))

    answer = Client().post(f"/api/tools/register?access_token={token}", body, content_type=content_type)

    is_problem(answer, 401, "unauthenticated")


def test_a_token_in_a_cookie_or_another_header_is_nobodys(settings):
    settings.ANONYMOUS_SCOPES = ()
    token = make_token("tools:register")
    client = Client(headers={"x-authorization": f"Bearer {token}", "proxy-authorization": f"Bearer {token}"})
    client.cookies["access_token"] = token

    answer = client.post("/api/tools/register", make_document(), content_type="application/json")

    is_problem(answer, 401, "unauthenticated")


def test_who_is_logged_in_to_the_admin_writes_no_more_than_others(settings):
    settings.DISCOVERY_ANONYMOUS, settings.ANONYMOUS_SCOPES = "none", ()
    make_registration()
    admin = Client()
    admin.force_login(get_user_model().objects.create_superuser("admin"))

    read = admin.get("/api/tools/available")
    written = admin.post("/api/tools/register", make_document(), content_type="application/json")

    assert read.json()["results"] == []
    is_problem(written, 401, "unauthenticated")


def test_a_clients_secret_is_no_token():
    application = make_machine("tools:register")

    for headers in (basic(application.client_id), _bearer("a-secret-of-many-characters")):
        answer = post_json("/api/tools/register", make_document(), headers=headers)
        is_problem(answer, 401)


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize(
    "header",
    [
        "Bearer {token},Bearer {token}",
        "Bearer {token}, Bearer {token}",
        "Bearer {token} {token}",
        "Basic eDp4, Bearer {token}",
        "Bearer x, Basic eDp4",
        "Bearer {token},",
        "Bearer\t{token}",
        "Bearer={token}",
        "Bearer:{token}",
        "bearer",
        "{token}",
        "null",
        "Bearer " + "{token}" * 100,
        "Bearer " + "x" * 60_000,
        "Bearer \u00e4",
        ", ,",
    ],
)
def test_two_tokens_and_garbage_in_the_header_read_nothing(path, header):
    make_registration(endpoint={"url": "http://h/x"})

    answer = get_json(path, headers={"authorization": header.format(token=make_token())})

    assert answer.status_code in {400, 401}
    assert "Send an email." not in answer.content.decode()


def test_an_application_that_was_deleted_a_moment_ago_counts_for_five_seconds():
    application = make_application("gone")
    headers = _bearer(make_token(application=application))
    assert get_json("/", headers=headers).status_code == 200
    application.delete()

    assert get_json("/", headers=headers).status_code == 200
    tokens.forget()
    cache.clear()
    is_problem(get_json("/", headers=headers), 401, "invalid_token")
