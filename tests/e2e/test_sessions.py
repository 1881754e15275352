"""The seed's team on the real stack: what it prints, and what the platform keeps of it."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.stack import CHECKOUT, Stack, eventually
from tests.toolroster.agents.test_orchestrator import SEED_DISCOVERY, SEED_HEALTH

SEED_TOOLS = {"calculator", "file_reader", "database_query", "simulation_data"}


def remembered(stack: Stack, session_id: str) -> dict[str, Any]:
    """Return what the hacker said, asked of the memory as of any tool that discovery tells of."""
    headers = stack.bearer("session")
    tool = stack.tools(headers)["get_compressed_memory"]
    address = f"http://{tool['host']}:{tool['port']}{tool['endpoint']}"
    answer = httpx.post(address, json={"agent_id": "hacker", "session_id": session_id}, headers=headers)
    return dict(answer.json()["result"])


def test_the_seeds_team_plays_its_scripted_session_and_it_is_kept(stack: Stack, tmp_path: Path) -> None:
    eventually(lambda: stack.tools().keys() >= SEED_TOOLS)
    config, exported = tmp_path / "agents_config.yaml", tmp_path / "session.json"
    team = (CHECKOUT / "demo" / "agents_config.yaml").read_text("utf-8")
    config.write_text(f"{team}\nservices:\n  memory: http://localhost:{stack.port}/api/memory\n", "utf-8")

    printed = stack.manage(
        "run_session", str(config), "--turns", "4", "--scripted", "--export", str(exported)
    )

    assert printed.startswith(SEED_HEALTH + SEED_DISCOVERY)  # word for word
    assert '🔧 database_query({"query": "SELECT name, floor FROM guards WHERE shift = \'night\'"})' in printed
    session = json.loads(exported.read_text("utf-8"))
    called = ["simulation_data", "calculator", "database_query"]
    assert [one["tool"] for one in session["calls"] if one["is_success"]] == called
    assert session["calls"][1]["params"] == {"expression": "100 * 100 * 100 * 2 / 3600"}
    page = stack.client.get(f"/api/sessions/{session['session_id']}/transcript")
    assert "## Turn 4: driver" in page.text
    memory = remembered(stack, session["session_id"])
    assert [one["message"] for one in memory["recent"]] == [session["messages"][1]["message"]]
    assert "get_compressed_memory" not in stack.tools(stack.bearer("safecracker"))
