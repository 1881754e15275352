"""The client of a memory service, with a small real one; and a team whose memory is there."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.toolroster.agents.models import ToldModel
from tests.toolroster.agents.servers import BankServer, Reply, Server
from toolroster.access import Access
from toolroster.agents.memory import CompressedMemory, Remembered
from toolroster.agents.memory_client import MOST_CHARACTERS, WIRE, MemoryServiceClient
from toolroster.agents.orchestrator import OrchestratorWithDiscovery, Parts
from toolroster.errors import DocumentInvalid, InsufficientScope, ToolNotFound, Unavailable

ONCE = replace(WIRE, pauses_seconds=())
NOTHING = Reply({"result": {"summary": "", "recent": [], "total": 0}})
STORED = Reply({"result": {"turn_id": 1}})


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with Server().running() as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    return running.fresh()


def _client(server: Server, **more: Any) -> MemoryServiceClient:
    return MemoryServiceClient(f"{server.url}/api/memory/", Access(token="token-1"), wire=ONCE, **more)


def _problem(status: int, code: str) -> Reply:
    said = {"code": code, "detail": "It says no.", "errors": []}
    return Reply(said, status=status, headers={"Content-Type": "application/problem+json"})


def test_what_is_stored_is_sent_with_the_token(server):
    server.next(STORED)

    _client(server).store_memory("hacker", 1, "Two cameras.", "s1")

    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/api/memory/store_memory")
    assert asked.headers["authorization"] == "Bearer token-1"
    assert asked.json == {"agent_id": "hacker", "turn_id": 1, "message": "Two cameras.", "session_id": "s1"}


def test_a_memory_is_read(server):
    recent = [{"agent_id": "hacker", "turn_id": 2, "message": "Two cameras."}]
    server.next(Reply({"result": {"summary": "They met.", "recent": recent, "total": 2}}))

    memory = _client(server, recent=1).get_compressed_memory("hacker", "s1")

    assert memory == CompressedMemory("They met.", (Remembered("hacker", 2, "Two cameras.", "s1"),), 2)
    assert server.asked[0].json == {"agent_id": "hacker", "session_id": "s1", "recent": 1}


def test_without_access_no_token_is_shown(server):
    server.next(STORED)

    MemoryServiceClient(server.url, wire=ONCE).store_memory("hacker", 1, "x", "s1")

    assert "authorization" not in server.asked[0].headers


def test_a_longer_message_is_cut(server):
    server.next(STORED)

    _client(server).store_memory("hacker", 1, "x" * (MOST_CHARACTERS + 1), "s1")

    assert len(server.asked[0].json["message"]) == MOST_CHARACTERS


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (_problem(403, "insufficient_scope"), InsufficientScope),
        (_problem(422, "invalid"), DocumentInvalid),
        (Reply(b"<html>", status=404, headers={"Content-Type": "text/html"}), ToolNotFound),
        (Reply({}, status=503), Unavailable),
        (Reply({}), Unavailable),
        (Reply({"result": []}), Unavailable),
        (Reply({"result": {"summary": "", "recent": [{}], "total": 1}}), Unavailable),
        (Reply(b"<html>", headers={"Content-Type": "text/html"}), Unavailable),
    ],
)
def test_what_is_no_memory_is_an_error(server, reply, error):
    server.next(reply)

    with pytest.raises(error):
        _client(server).get_compressed_memory("hacker", "s1")


def _team(folder: Path, memory: Server, model: ToldModel | None = None) -> OrchestratorWithDiscovery:
    path = folder / "team.json"
    agents = [{"name": "planner", "role": "x"}]
    path.write_text(json.dumps({"agents": agents, "services": {"memory": memory.url}}))
    said: list[str] = []
    environment = {"TOOLROSTER_HOME": str(folder)}
    parts = Parts(say=said.append, llm=model or ToldModel("A plan."), environment=environment)
    with BankServer().running() as bank:
        return OrchestratorWithDiscovery(path, bank.url, parts=parts, session_id="s1")


def test_a_team_remembers_at_the_service_that_its_file_names(server, tmp_path):
    server.next(
        Reply({}), NOTHING, STORED, Reply({"result": {"summary": "Earlier.", "recent": [], "total": 9}})
    )

    model = ToldModel("A plan.")

    with _team(tmp_path, server, model) as team:
        server.next(STORED)
        team.run(2)

    assert [one.path for one in server.asked] == [
        "/health",
        "/get_compressed_memory",
        "/store_memory",
        "/get_compressed_memory",
        "/store_memory",
    ]
    assert model.conversations[1][1]["content"].endswith("\nEarlier.\n</memory>")


def test_a_team_talks_on_while_its_memory_is_away(server, tmp_path, caplog):
    server.next(Reply({}), *[Reply({}, status=503)] * 8)

    with _team(tmp_path, server) as team:
        session = team.run(1)

    assert (session.messages[0].message, session.end.failure) == ("A plan.", "")
    assert "[planner] speaks without its memory" in caplog.text
    assert "[planner] turn 1 is not remembered" in caplog.text


def test_a_memory_that_refuses_the_team_ends_the_session(server, tmp_path):
    server.next(Reply({}), _problem(403, "insufficient_scope"))

    with _team(tmp_path, server) as team:
        session = team.run(1)

    assert session.end.failure == "planner in turn 1: It says no."
