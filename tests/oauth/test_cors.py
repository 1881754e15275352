"""Which addresses a page of another origin may use: those where tokens are had, no other."""

import pytest

pytestmark = pytest.mark.django_db

ORIGIN = "https://agent.example"
PREFLIGHT = {
    "Origin": ORIGIN,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization, content-type",
}


@pytest.mark.parametrize("path", ["/token", "/revoke"])
def test_a_browser_may_ask_for_tokens_from_any_origin(client, path):
    answer = client.options(path, headers=PREFLIGHT)

    assert answer.status_code == 200
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in answer


def test_metadata_is_for_everybody(client):
    answer = client.get("/.well-known/oauth-authorization-server", headers={"Origin": ORIGIN})

    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    "path", ["/", "/api/tools/register", "/tools/register", "/introspect", "/admin/login/"]
)
def test_nothing_else_is_open_to_other_origins(client, path):
    answer = client.options(path, headers=PREFLIGHT)

    assert "Access-Control-Allow-Origin" not in answer
