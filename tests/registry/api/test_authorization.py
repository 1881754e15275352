"""Tokens on the REST interface: a token that is sent must be valid, it is never taken for none."""

import pytest

from oauth.scopes import withdraw
from tests import factories
from tests.registry.api.client import (
    beat,
    document,
    get_json,
    is_problem,
    make_token,
    post_bytes,
    post_json,
    register,
)

pytestmark = pytest.mark.django_db

METADATA = 'resource_metadata="http://localhost:8006/.well-known/oauth-protected-resource"'

WRONG = {
    "unknown": "Bearer unknown",
    "not ascii": "Bearer \u00e9\u00ff",
    "huge": "Bearer " + "x" * 100_000,
}
NOT_ONE = {"no token": "Bearer", "two tokens": "Bearer one two", "two headers": "Bearer one,Bearer two"}
NONE = {"blank": " ", "empty": "", "basic": "Basic dXNlcjpwYXNz", "digest": 'Digest username="x"'}
PATHS = ["/", "/api/tools/available", "/api/tools/resolve?ref=x", "/stats", "/api/stats?access_token=x"]


def is_refused(path: str, authorization: str, status: int, code: str) -> str:
    """Assert that a header is refused and never taken for none; return the challenge."""
    answer = get_json(path, headers={"authorization": authorization})
    problem = is_problem(answer, status, code)
    assert problem["retryable"] is False
    challenge: str = answer["WWW-Authenticate"]
    return challenge


@pytest.mark.parametrize("header", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_token_is_401_and_the_challenge_says_so(path, header):
    challenge = is_refused(path, header, 401, "invalid_token")

    assert challenge.startswith('Bearer realm="tools", error="invalid_token", error_description="')
    assert challenge.endswith(METADATA)


@pytest.mark.parametrize("header", NOT_ONE.values(), ids=NOT_ONE)
@pytest.mark.parametrize("path", PATHS)
def test_a_header_that_holds_not_exactly_one_token_is_400(path, header):
    challenge = is_refused(path, header, 400, "authorization_malformed")

    assert 'error="invalid_request"' in challenge  # RFC 6750 §3.1


@pytest.mark.parametrize("header", NONE.values(), ids=NONE)
@pytest.mark.parametrize("path", PATHS)
def test_a_header_of_another_scheme_is_401_and_never_anonymous(path, header):
    challenge = is_refused(path, header, 401, "unauthenticated")

    assert challenge == f'Bearer realm="tools", {METADATA}'


@pytest.mark.parametrize("content_type", ["application/json", "multipart/form-data", "text/plain"])
@pytest.mark.parametrize("path", ["/api/tools/register", "/api/tools/heartbeat", "/tools/register"])
def test_a_bad_header_is_401_whatever_the_body_is(path, content_type):
    answer = post_bytes(path, b"\xff", content_type=content_type, headers={"authorization": "Bearer x"})

    is_problem(answer, 401, "invalid_token")


def test_an_expired_token_is_401():
    _, token = make_token(scopes="tools:register", seconds=-1)

    answer = get_json("/api/tools/available", headers={"authorization": f"Bearer {token}"})

    is_problem(answer, 401, "invalid_token")


def test_a_token_for_another_resource_is_401():
    token = factories.make_token("tools:register", audience=["https://elsewhere.example"])

    answer = post_json("/api/tools/register", document(), headers={"authorization": f"Bearer {token}"})

    assert "another resource" in is_problem(answer, 401, "invalid_token")["detail"]


def test_a_token_in_the_query_counts_for_nothing():
    _, token = make_token(scopes="tools:register")

    answer = get_json(f"/?access_token={token}", headers={"authorization": "Basic x"})
    anonymous = get_json(f"/?access_token={token}")

    is_problem(answer, 401)
    assert anonymous.json()["authenticated"] is False


@pytest.mark.parametrize("query", ["%zz", "a=%FF", "\u00e9", "a;b&c", "a=b=c&&"])
def test_a_valid_token_is_not_confused_by_a_strange_query(query):
    _, token = make_token()

    answer = get_json(f"/?{query}", headers={"authorization": f"Bearer {token}"})

    assert answer.json()["authenticated"] is True


def test_writing_without_a_token_is_401_where_anonymous_callers_may_not(settings):
    settings.ANONYMOUS_SCOPES = ()

    for answer in (post_json("/api/tools/register", document()), beat("a:b:1.0.0")):
        is_problem(answer, 401, "unauthenticated")
        assert 'scope="tools:register"' in answer["WWW-Authenticate"]
        assert "error" not in answer["WWW-Authenticate"]  # RFC 6750 §3.1: no error code without a token


def test_a_token_without_the_scope_is_403():
    _, token = make_token(scopes="tools:invoke")

    answer = post_json("/api/tools/register", document(), headers={"authorization": f"Bearer {token}"})

    is_problem(answer, 403, "insufficient_scope")
    assert 'error="insufficient_scope"' in answer["WWW-Authenticate"]
    assert 'scope="tools:register"' in answer["WWW-Authenticate"]


def test_a_scope_that_was_withdrawn_is_missing_in_tokens_that_exist():
    application, token = make_token(scopes="tools:register")
    withdraw(application, ["tools:register"], by="test", now=factories.NOW)

    answer = post_json("/api/tools/register", document(), headers={"authorization": f"Bearer {token}"})

    is_problem(answer, 403, "insufficient_scope")


def test_a_namespace_that_a_token_claimed_is_closed_to_all_others():
    _, token = make_token(scopes="tools:register")
    headers = {"authorization": f"Bearer {token}"}

    assert post_json("/api/tools/register", document(), headers=headers).status_code == 200
    answer = post_json("/api/tools/register", document("other"))

    is_problem(answer, 403, "permission_missing")


def test_discovery_with_a_token_names_the_client_and_filters_by_scope():
    application, token = make_token(scopes="calculator:use file_reader:use")
    url = {"url": "http://h/x"}
    for name, scopes in (("calculator", ["calculator:use"]), ("database_query", ["db:read"]), ("free", [])):
        register(name, scopes=scopes, endpoint=url)

    body = get_json("/", headers={"authorization": f"bearer {token}"}).json()

    assert [tool["name"] for tool in body["tools"]] == ["calculator", "free"]
    assert body["total_available"] == 2
    assert body["authenticated"] is True
    assert body["client_id"] == application.client_id
    assert body["scopes"] == ["calculator:use", "file_reader:use"]


@pytest.mark.parametrize(
    "path",
    [
        "/api/tools/mail-team:hidden:1.0.0",
        "/api/tools/mail-team/hidden/versions",
        "/api/tools/resolve?ref=hidden",
        "/tools/hidden",
    ],
)
def test_what_a_token_may_not_see_is_404_and_is_not_suggested(path):
    _, token = make_token(scopes="other:use")
    register("hidden", scopes=["secret:use"], endpoint={"url": "http://h/x"})

    answer = get_json(path, headers={"authorization": f"Bearer {token}"})

    assert is_problem(answer, 404, "tool_not_found")["nearest"] == []


def test_hidden_tools_are_not_counted_and_not_found():
    _, token = make_token(scopes="other:use")
    register("hidden", scopes=["secret:use"])
    headers = {"authorization": f"Bearer {token}"}

    assert get_json("/api/stats", headers=headers).json()["tools"] == 0
    assert get_json("/stats", headers=headers).json()["total_tools"] == 0
    assert get_json("/api/tools/available", headers=headers).json()["results"] == []
    found = post_json("/api/tools/search", {"query": "hidden email"}, headers=headers).json()
    assert found == {"results": [], "nothing_fits": True}


def test_without_anonymous_discovery_nothing_is_seen(settings):
    register(endpoint={"url": "http://h/x"})
    settings.DISCOVERY_ANONYMOUS = "none"

    assert get_json("/").json()["tools"] == []
    assert get_json("/api/tools/available").json()["results"] == []
    is_problem(get_json("/api/tools/resolve?ref=send_email"), 404, "tool_not_found")


def test_a_role_opens_what_its_policy_asks_for():
    _, token = make_token(roles=["surgeon"])
    register("operate", policy={"allowed_roles": ["surgeon", "nurse"]})
    register("govern", policy={"allowed_roles": ["king"]})

    page = get_json("/api/tools/available", headers={"authorization": f"Bearer {token}"}).json()

    assert [row["name"] for row in page["results"]] == ["operate"]
