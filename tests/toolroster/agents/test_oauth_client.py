"""Where the agents of a team have their clients from."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.toolroster.agents.servers import BankServer
from toolroster.access import Access
from toolroster.agents.oauth_client import OAuthClient, access_of
from toolroster.errors import Unauthenticated

URL = "http://localhost:8006"
ENVIRONMENT = {
    "TOOLROSTER_CLIENT_ID_SAFE_CRACKER": "id-1",
    "TOOLROSTER_CLIENT_SECRET_SAFE_CRACKER": "secret-1",
    "TOOLROSTER_CLIENT_ID_HACKER": "without a secret",
}


def _note(home: Path, base_url: str = URL) -> dict[str, str]:
    client = {"name": "hacker", "client_id": "id-2", "client_secret": "secret-2", "kind": "AGENT"}
    (home / "demo.json").write_text(json.dumps({"base_url": base_url, "clients": [client]}))
    return {"TOOLROSTER_HOME": str(home)}


def test_a_client_comes_from_the_environment(tmp_path: Path):
    environment = {**ENVIRONMENT, "TOOLROSTER_HOME": str(tmp_path)}

    access = OAuthClient.of(URL, ["safe-cracker", "hacker"], environment).access("safe-cracker", ["a:b"])

    assert (access.client_id, access.client_secret, access.scopes) == ("id-1", "secret-1", ("a:b",))
    assert OAuthClient.of(URL, ["hacker"], environment).clients == {}


def test_a_client_comes_from_the_note_of_make_run(tmp_path: Path):
    access = OAuthClient.of(f"{URL}/", ["hacker", "planner"], _note(tmp_path)).access("hacker", ["a:b"])

    assert access.client_id == "id-2"


def test_the_environment_comes_before_the_note(tmp_path: Path):
    environment = _note(tmp_path) | {
        "TOOLROSTER_CLIENT_ID_HACKER": "x",
        "TOOLROSTER_CLIENT_SECRET_HACKER": "y",
    }

    assert OAuthClient.of(URL, ["hacker"], environment).access("hacker", ["a:b"]).client_id == "x"


def test_another_server_is_shown_no_secret(tmp_path: Path):
    environment = _note(tmp_path) | ENVIRONMENT | {"TOOLROSTER_URL": URL}

    client = OAuthClient.of("http://elsewhere.test", ["hacker", "safe-cracker"], environment)

    assert client.clients == {}


@pytest.mark.parametrize("note", ["", "[]", "{", '{"base_url": "http://localhost:8006", "clients": [7]}'])
def test_a_note_that_cannot_be_read_is_none(tmp_path: Path, note):
    (tmp_path / "demo.json").write_text(note)

    assert OAuthClient.of(URL, ["hacker"], {"TOOLROSTER_HOME": str(tmp_path)}).clients == {}


def test_an_agent_without_scopes_or_without_a_client_is_anonymous():
    client = OAuthClient(URL, {"planner": ("id", "secret")})

    assert client.access("planner", []) == client.access("hacker", ["a:b"]) == Access()
    assert client.get_token("planner", []) is None


def test_a_token_of_the_seed_has_the_scopes_asked_for(bank: BankServer):
    client = OAuthClient(bank.url, {"hacker": ("hacker", "secret-of-hacker")})

    assert client.get_token("hacker", ["file_reader:use"]) != client.get_token("hacker", ["calculator:use"])
    assert client.access("hacker", ["a:b"]).auth("http://registry.test").token_url == f"{bank.url}/token"


def test_a_wrong_secret_is_refused(bank: BankServer):
    with pytest.raises(Unauthenticated):
        OAuthClient(bank.url, {"hacker": ("hacker", "guess")}).get_token("hacker", ["a:b"])


def test_no_secret_shows():
    client = OAuthClient(URL, {"planner": ("id", "hush")})

    assert "hush" not in repr(client) + repr(client.access("planner", ["a:b"]))


@pytest.mark.parametrize(
    ("url", "given", "is_shown"),
    [
        ("http://localhost:8006", {}, True),
        ("http://127.0.0.1:8006/", {}, True),
        ("http://elsewhere.test", {}, False),
        ("http://localhost:8007", {}, False),
        ("http://elsewhere.test", {"TOOLROSTER_URL": ""}, False),
        ("http://elsewhere.test", {"TOOLROSTER_URL": "http://elsewhere.test/"}, True),
        ("http://localhost:8006", {"TOOLROSTER_URL": "http://elsewhere.test/"}, False),
    ],
)
def test_the_secrets_of_the_environment_are_for_one_server(tmp_path: Path, url, given, is_shown):
    environment = {**ENVIRONMENT, **given, "TOOLROSTER_HOME": str(tmp_path)}

    assert bool(OAuthClient.of(url, ["safe-cracker"], environment).clients) == is_shown


def test_a_client_that_only_gives_tokens_is_asked_for_agents_with_scopes():
    class Seed:
        def get_token(self, agent_name: str, scopes: Sequence[str]) -> str:
            return f"{agent_name}-{'-'.join(scopes)}"

    assert access_of(Seed(), "hacker", ["a"]) == Access(token="hacker-a")
    assert access_of(Seed(), "planner", []) == Access()
