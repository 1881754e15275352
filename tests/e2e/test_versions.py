"""An agent that depends on tools, from the command line: bound, locked, told, moved."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from tests.stack import Stack, eventually
from toolroster import AsyncRegistry, Registry
from toolroster.cli import main

TO = {"name": "to", "type": "string", "required": True}


def publish(stack: Stack, version: str, *parameters: Any, **fields: Any) -> httpx.Response:
    document = {
        "provider": "paper-team",
        "name": "send_letter",
        "version": version,
        "description": "Send a letter by post. Use it for what has to be on paper.",
        "parameters": list(parameters),
        **fields,
    }
    return httpx.post(f"{stack.url}/api/tools/register", json=document)


@pytest.fixture
def token(stack: Stack) -> str:
    return stack.bearer("safecracker")["Authorization"].removeprefix("Bearer ")


@pytest.fixture
def cli(stack: Stack, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLROSTER_CACHE", str(tmp_path / "cache"))

    def run(*words: str) -> Result:
        return CliRunner().invoke(main, ["--url", stack.url, "--token", token, *words])

    return run


def test_an_agent_is_bound_locked_told_and_moved(stack: Stack, cli: Any, token: str) -> None:
    assert publish(stack, "1.0.0", TO).status_code == 200
    assert "paper-team:send_letter:1.0.0" in cli("bind", "paper-team/send_letter@^1").output
    assert cli("lock", "paper-team/send_letter@^1").exit_code == 0
    assert cli("verify").output == "1 tools are as they were locked\n"

    publish(stack, "1.0.0", TO, description="Send a letter, and a copy of it to whom I say.")
    told = cli("verify")
    assert (told.exit_code, told.output.startswith("words: ")) == (1, True)
    cli("lock")

    assert publish(stack, "1.0.1", {"name": "whom", "type": "string"}).json()["use_version"] == "2.0.0"
    publish(stack, "1.1.0", TO, {"name": "stamp", "type": "string"})
    moved = httpx.post(
        f"{stack.url}/api/tools/paper-team/send_letter/migrations",
        json={"old": "1.0.0", "new": "1.1.0", "accept_review": True},
    ).json()
    assert moved["moved"] == 1

    def kinds() -> list[str]:
        return [event["kind"] for event in json.loads(cli("--json", "inbox").output)]

    eventually(lambda: "tool:binding:moved" in kinds())
    with Registry(stack.url, token) as registry:
        assert [one.version for one in registry.bindings()] == ["1.1.0"]
    assert {one["drift"] for one in json.loads(cli("--json", "verify").output)} == {"deprecated", "newer"}
    assert (cli("verify").exit_code, cli("verify", "--strict").exit_code) == (0, 1)
    assert (
        "is deprecated. Agents were migrated to 1.1.0." in cli("show", "paper-team/send_letter@1.0.0").output
    )
    cli("inbox", "--ack")
    assert kinds() == []


def test_events_are_read_on_an_event_loop(stack: Stack, token: str) -> None:
    publish(stack, "1.0.0", name="fold_letter")

    async def read() -> None:
        async with AsyncRegistry(stack.url, token) as registry:
            bound = await registry.declare(["paper-team/fold_letter"])
            first = await registry.events(limit=1)
            second = await registry.events(after=first.next, limit=1, wait_seconds=5)

            assert [one.tool_id for one in bound] == ["paper-team:fold_letter:1.0.0"]
            assert first[0]["id"] != second[0]["id"]
            assert await registry.acknowledge((await registry.inbox()).next) == []
            assert [one.ref for one in await registry.bindings()] == ["paper-team/fold_letter"]

    asyncio.run(read())


def test_a_document_is_checked_against_what_is_published(stack: Stack, cli: Any) -> None:
    def write(version: str, *parameters: Any) -> None:
        document = {"provider": "paper-team", "name": "seal_letter", "version": version}
        Path("seal.json").write_text(json.dumps(document | {"parameters": parameters}))

    write("1.0.0", TO)
    first = cli("check", "seal.json")
    publish(stack, "1.0.0", TO, name="seal_letter", description="")
    write("1.0.1")
    broken = cli("check", "seal.json", "--format", "github")
    by_reference = cli("check", "paper-team/seal_letter@^1", "seal.json")
    unknown = cli("check", "paper-team/seal_leter", "seal.json")

    assert (first.exit_code, "nothing is published" in first.output) == (0, True)
    assert (broken.exit_code, "::error file=seal.json" in broken.output) == (1, True)
    assert (by_reference.exit_code, "publish it as 2.0.0" in by_reference.output) == (1, True)
    assert (unknown.exit_code, "did you mean: seal_letter" in unknown.output) == (3, True)
