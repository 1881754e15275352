"""`manage.py run_session`, with the team's world of seeds/000 as a small real server."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from config.env import CHECKOUT
from consumers.models import AgentMemory, AgentSession
from consumers.services.session_calls import NOT_RECORDED
from tests.factories import make_application
from tests.registry.management.test_commands import run
from tests.toolroster.agents.models import ToldModel
from tests.toolroster.agents.servers import BankServer, Reply, Server
from toolroster.agents.config import load
from toolroster.agents.scripted import NOTICE

pytestmark = pytest.mark.django_db
EXAMPLE = CHECKOUT / "demo" / "agents_config.yaml"
TEAM = load(EXAMPLE)


@pytest.fixture(scope="module")
def running() -> Iterator[BankServer]:
    with BankServer().running() as server:
        yield server


@pytest.fixture
def bank(running: BankServer, settings, tmp_path, monkeypatch) -> BankServer:
    settings.HOME = tmp_path
    monkeypatch.setenv("TOOLROSTER_URL", running.url)
    for agent in TEAM.agents:
        monkeypatch.setenv(f"TOOLROSTER_CLIENT_ID_{agent.name.upper()}", agent.name)
        monkeypatch.setenv(f"TOOLROSTER_CLIENT_SECRET_{agent.name.upper()}", f"secret-of-{agent.name}")
    return running.fresh()


def _config(folder: Path, **changes: Any) -> str:
    path = folder / "team.json"
    agents = [{"name": "planner", "role": "Strategic Heist Planner"}]
    path.write_text(json.dumps({"agents": agents, **changes}))
    return str(path)


def test_a_session_is_printed_and_kept(bank):
    printed, _ = run("run_session", str(EXAMPLE), "--turns", "4", "--scripted", "--discovery", bank.url)

    row = AgentSession.objects.get()
    assert (row.turns, row.call_count, row.model, row.failure) == (4, 2, "scripted, no LLM", "")
    assert row.agents == row.turn_order == ["planner", "hacker", "safecracker", "driver"]
    assert row.messages.get(turn_id=1).message.startswith(NOTICE)
    assert "💬 Turn 3: Safe Specialist (safecracker)" in printed
    assert printed.endswith(f"Session {row.session_id} is kept.")


def test_what_agents_said_is_remembered_in_rows(bank):
    run("run_session", str(EXAMPLE), "--turns", "4", "--scripted", "--discovery", bank.url)

    rows = AgentMemory.objects.order_by("turn_id").values_list("agent_id", "session_id")
    assert list(rows) == [(name, AgentSession.objects.get().session_id) for name in TEAM.turn_order]


def test_values_for_tools_of_another_registry_are_not_kept(bank):
    run("run_session", str(EXAMPLE), "--turns", "2", "--scripted", "--discovery", bank.url)

    assert AgentSession.objects.get().calls.get().arguments == {"area": NOT_RECORDED}


def test_the_file_says_how_many_turns_unless_the_command_does(bank, tmp_path):
    config = _config(tmp_path, session={"turns": 2})

    run("run_session", config, "--discovery", bank.url)
    run("run_session", config, "--discovery", bank.url, "--turns", "1")

    assert list(AgentSession.objects.order_by("pk").values_list("turns", flat=True)) == [2, 1]


@pytest.mark.parametrize("name", ["session.md", "session.json"])
def test_a_session_is_exported_to_a_file(bank, tmp_path, name):
    target = tmp_path / name

    printed, _ = run("run_session", _config(tmp_path), "--discovery", bank.url, "--export", str(target))

    content = target.read_text("utf-8")
    session_id = AgentSession.objects.get().session_id
    said = json.loads(content)["session_id"] if name.endswith("json") else content.split()[2]
    assert said == session_id
    assert printed.endswith(f"Wrote {target}.")


def test_the_model_of_the_settings_speaks_where_the_file_names_none(bank, tmp_path, settings):
    with Server().running() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = f"{server.url}/v1", "qwen"
        reply = Reply({"choices": [{"message": {"content": "Good day."}}], "usage": {"prompt_tokens": 5}})
        server.next(reply, reply)

        run("run_session", _config(tmp_path), "--discovery", bank.url, "--turns", "1")

    row = AgentSession.objects.get()
    assert (row.model, row.messages.get().message, row.total_tokens) == ("qwen", "Good day.", 5)


def test_the_model_of_the_file_comes_before_that_of_the_settings(bank, tmp_path, settings):
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "of the settings"
    with Server().running() as server:
        reply = Reply({"choices": [{"message": {"content": "Good day."}}]})
        server.next(reply, reply)
        config = _config(tmp_path, llm={"base_url": f"{server.url}/v1", "model": "of the file"})

        run("run_session", config, "--discovery", bank.url, "--turns", "1")

    assert AgentSession.objects.get().model == "of the file"


def test_the_scripted_model_comes_before_both(bank, tmp_path, settings):
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "of the settings"
    config = _config(tmp_path, llm={"base_url": "http://127.0.0.1:9/v1", "model": "of the file"})

    run("run_session", config, "--discovery", bank.url, "--turns", "1", "--scripted")

    assert AgentSession.objects.get().model == "scripted, no LLM"


def test_a_session_whose_model_is_away_ends_and_says_why(bank, tmp_path, settings):
    with Server().running() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = f"{server.url}/v1", "qwen"
        server.next(Reply({"error": {"message": "no such key"}}, status=401))

        run("run_session", _config(tmp_path), "--discovery", bank.url, "--turns", "1")

    row = AgentSession.objects.get()
    assert row.ended_at is not None
    assert "set LLM_API_KEY" in row.failure


def test_a_session_belongs_to_a_client(bank, tmp_path):
    application = make_application("team")

    run("run_session", _config(tmp_path), "--discovery", bank.url, "--application", "team", "--turns", "1")

    assert AgentSession.objects.get().application == application
    assert AgentMemory.objects.get().application == application


@pytest.mark.parametrize(
    ("error", "told"),
    [(KeyboardInterrupt, "It was interrupted."), (ZeroDivisionError, "It broke: ZeroDivisionError.")],
)
def test_a_session_that_breaks_off_is_over_and_says_why(bank, tmp_path, monkeypatch, error, told):
    def broken(*_: Any) -> None:
        raise error

    monkeypatch.setattr(ToldModel, "chat", broken)
    monkeypatch.setattr("consumers.management.commands.run_session.ScriptedModel", lambda: ToldModel("x"))

    with pytest.raises(error):
        run("run_session", _config(tmp_path), "--discovery", bank.url)

    row = AgentSession.objects.get()
    assert (row.ended_at is None, row.failure) == (False, told)


def test_values_that_are_not_kept_are_not_printed(bank):
    printed, _ = run("run_session", str(EXAMPLE), "--turns", "2", "--scripted", "--discovery", bank.url)

    assert f'simulation_data({{"area": "{NOT_RECORDED}"}}) → {NOT_RECORDED}' in printed


def test_the_secrets_of_the_environment_are_for_this_platform(bank, monkeypatch, settings):
    monkeypatch.delenv("TOOLROSTER_URL")
    settings.PUBLIC_URL = bank.url

    run("run_session", str(EXAMPLE), "--turns", "2", "--scripted")

    assert [one for one in bank.asked if one.path == "/" and "authorization" in one.headers]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--turns", "0"], "1 to 1000"),
        (["--turns", "1001"], "1 to 1000"),
        (["--export", "session.pdf"], ".md or .json"),
        (["--export", "/nowhere/session.md"], "cannot write /nowhere/session.md: No such file"),
        (["--application", "nobody"], "no client called nobody"),
    ],
)
def test_what_cannot_be_is_told_before_anything_runs(bank, tmp_path, arguments, said):
    with pytest.raises(CommandError, match=said):
        run("run_session", _config(tmp_path), "--discovery", bank.url, *arguments)

    assert not AgentSession.objects.exists()
    assert bank.asked == []


def test_a_target_is_left_as_it_is_until_there_is_something_to_write(bank, tmp_path):
    new, old = tmp_path / "new.md", tmp_path / "old.md"
    old.write_text("kept")

    for target in (new, old):
        with pytest.raises(CommandError):
            run("run_session", str(tmp_path / "missing.yaml"), "--export", str(target))

    assert (new.exists(), old.read_text()) == (False, "kept")


def test_a_wrong_file_is_told_with_pointers(bank, tmp_path):
    with pytest.raises(CommandError, match="/session/turns"):
        run("run_session", _config(tmp_path, session={"turns": 0}), "--discovery", bank.url)


def test_the_example_is_the_team_of_the_seed_with_a_fourth():
    scopes = {agent.name: agent.oauth_scopes for agent in TEAM.agents}

    assert scopes == {
        "planner": [],
        "hacker": ["simulation:read", "file_reader:use"],
        "safecracker": ["calculator:use"],
        "driver": ["database:read"],
    }
