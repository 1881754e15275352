"""What clients learn of the authorization server (RFC 8414) and of the resource (RFC 9728)."""

from urllib.parse import urlsplit

import pytest
from django.urls import resolve

from tests.registry.api.client import get_json

ISSUER = "http://localhost:8006"
SERVER = "/.well-known/oauth-authorization-server"
RESOURCE = "/.well-known/oauth-protected-resource"


def test_the_server_says_where_it_is_and_what_it_takes():
    body = get_json(SERVER).json()

    assert body == {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/authorize",
        "token_endpoint": f"{ISSUER}/token",
        "revocation_endpoint": f"{ISSUER}/revoke",
        "introspection_endpoint": f"{ISSUER}/introspect",
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "client_credentials", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["introspection", "tools:admin", "tools:invoke", "tools:register"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": False,
        **{
            f"{endpoint}_endpoint_auth_methods_supported": [
                "client_secret_basic",
                "client_secret_post",
                "none",
            ]
            for endpoint in ("token", "revocation", "introspection")
        },
    }


@pytest.mark.parametrize("name", ["authorization", "token", "revocation", "introspection"])
def test_every_endpoint_in_the_metadata_is_there(name):
    address = get_json(SERVER).json()[f"{name}_endpoint"]

    assert resolve(urlsplit(address).path).namespace == "oauth2_provider"


@pytest.mark.parametrize("path", [SERVER, f"{SERVER}/mcp"])
@pytest.mark.parametrize("host", ["127.0.0.1:8006", "localhost:1", "localhost"])
def test_the_issuer_is_ours_whatever_host_a_request_came_by(path, host):
    answer = get_json(path, headers={"host": host})

    assert answer.json()["issuer"] == ISSUER
    assert "127.0.0.1" not in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "resource"), [(RESOURCE, ISSUER), (f"{RESOURCE}/mcp", f"{ISSUER}/mcp")], ids=["origin", "mcp"]
)
def test_the_resource_is_the_very_one_that_was_asked_for(path, resource):
    body = get_json(path, headers={"host": "127.0.0.1:1"}).json()

    assert body["resource"] == resource
    assert body["authorization_servers"] == [ISSUER]
    assert body["bearer_methods_supported"] == ["header"]
    assert body["scopes_supported"] == ["introspection", "tools:admin", "tools:invoke", "tools:register"]


@pytest.mark.parametrize("path", [f"{RESOURCE}/other", f"{SERVER}/other", f"{RESOURCE}/mcp/", f"{RESOURCE}/"])
@pytest.mark.django_db
def test_there_is_no_other_resource(path):
    assert get_json(path).status_code == 404


def test_an_unknown_host_is_told_nothing():
    assert get_json(SERVER, headers={"host": "evil.example"}).status_code == 400


@pytest.mark.parametrize("path", [SERVER, RESOURCE, f"{RESOURCE}/mcp"])
def test_clients_in_browsers_may_read_it(path):
    assert get_json(path)["Access-Control-Allow-Origin"] == "*"
