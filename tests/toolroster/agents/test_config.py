"""The configuration of a team, as people write it."""

from pathlib import Path

import pytest

from toolroster.agents.config import TeamConfig, load
from toolroster.errors import DocumentInvalid

SEED = """
agents:
  - name: "planner"
    role: "Strategic Heist Planner"
    system_prompt: "You plan."
  - name: "safecracker"
    role: "Safe Specialist"
    tools: ["calculator:use"]  # <- Hardcoded
    oauth_scopes: ["calculator:use"]
llm:
  base_url: http://localhost:1234/v1
  model: qwen3
  temperature: 1
session: {turns: 4, turn_order: [planner, safecracker, planner]}
"""
AGENT = {"name": "planner", "role": "Planner"}


def test_the_seeds_file_is_read(tmp_path: Path):
    path = tmp_path / "agents_config.yaml"
    path.write_text(SEED)

    config = load(path)

    assert [agent.oauth_scopes for agent in config.agents] == [[], ["calculator:use"]]
    assert config.agents[1].tools == ["calculator:use"]
    assert (config.llm.model, config.turn_order) == ("qwen3", ["planner", "safecracker", "planner"])


def test_json_is_read_as_well(tmp_path: Path):
    path = tmp_path / "team.json"
    path.write_text('{"agents": [{"name": "planner", "role": "Planner"}]}')

    config = load(path)

    assert (config.llm, config.turn_order) == (None, ["planner"])


@pytest.mark.parametrize(
    ("document", "pointer", "code"),
    [
        (None, "", "wrong_type"),
        ({"agents": []}, "/agents", "too_short"),
        ({"agents": [{"name": "planner"}]}, "/agents/0/role", "missing"),
        ({"agents": [{**AGENT, "name": "a b"}]}, "/agents/0/name", "pattern"),
        ({"agents": [{**AGENT, "oauth_scopes": ["a b"]}]}, "/agents/0/oauth_scopes/0", "pattern"),
        ({"agents": [AGENT, AGENT]}, "/agents/1/name", "duplicate"),
        ({"agents": [{**AGENT, "name": "a-b"}, {**AGENT, "name": "a_b"}]}, "/agents/1/name", "duplicate"),
        ({"agents": [AGENT, {**AGENT, "name": "Planner"}]}, "/agents/1/name", "duplicate"),
        ({"agents": [AGENT], "session": {"turns": "4"}}, "/session/turns", "wrong_type"),
        ({"agents": [AGENT], "session": {"turns": 0}}, "/session/turns", "out_of_range"),
        ({"agents": [AGENT], "services": {"oauth": "here"}}, "/services/oauth", "pattern"),
        ({"agents": [AGENT], "llm": {"model": "x", "api_key": "k"}}, "/llm/api_key", "secret_in_file"),
        ({"agents": [{**AGENT, "client_secret": "k"}]}, "/agents/0/client_secret", "secret_in_file"),
    ],
)
def test_what_is_wrong_is_pointed_at(document, pointer, code):
    with pytest.raises(DocumentInvalid) as raised:
        TeamConfig.of(document)

    assert [(fault.pointer, fault.code) for fault in raised.value.errors] == [(pointer, code)]


@pytest.mark.parametrize(
    ("document", "nearest"),
    [
        ({"agents": [AGENT], "sesion": {}}, "session"),
        ({"agents": [{**AGENT, "oauth_scope": []}]}, "oauth_scopes"),
        ({"agents": [AGENT], "session": {"turn_order": ["plannr"]}}, "planner"),
    ],
)
def test_a_misspelled_word_has_its_nearest(document, nearest):
    with pytest.raises(DocumentInvalid) as raised:
        TeamConfig.of(document)

    assert raised.value.nearest[0] == nearest


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.yaml", b"agents: [", "It is no YAML"),
        ("a.yaml", b"\xff", "It is no YAML"),
        ("a.yaml", b"!!python/object/apply:os.getcwd []", "It is no YAML"),
        ("a.json", b"{", "not JSON"),
        ("missing.yaml", None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name, content, says):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(DocumentInvalid) as raised:
        load(path)

    assert raised.value.detail.startswith(f"{path}: ")
    assert says in raised.value.detail


def test_a_secret_does_not_get_into_the_error():
    with pytest.raises(DocumentInvalid) as raised:
        TeamConfig.of({"agents": [AGENT], "llm": {"model": "x", "api_key": "sk-1234"}})

    assert "sk-1234" not in str(raised.value.problem())
    assert "set TOOLROSTER_LLM_API_KEY" in raised.value.detail
