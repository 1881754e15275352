"""What OAuth clients of the demo see and call: seeds/000's agents, and an operator who grants scopes."""

from collections.abc import Iterator

import httpx
import pytest

from tests.stack import Stack, eventually

SEED_KEYS = {"name", "endpoint", "scopes", "description", "parameters", "returns", "host", "port"}
ABACUS = {
    "name": "abacus",
    "endpoint": "/tools/abacus",
    "scopes": ["calculator:use"],
    "description": "Move the beads of an abacus",
}


def call_calculator(stack: Stack, headers: dict[str, str] | None = None) -> httpx.Response:
    tool = stack.tools()["calculator"]
    address = f"http://{tool['host']}:{tool['port']}{tool['endpoint']}"
    return stack.client.post(address, json={"expression": "6 * 7"}, headers=headers)


@pytest.fixture
def abacus(stack: Stack) -> Iterator[str]:
    """A tool that is registered while the agent works, without a token; gone afterwards."""
    answer = stack.client.post("/tools/register", json=ABACUS).raise_for_status()
    yield "abacus"
    stack.client.post("/api/tools/deregister", json={"tool_ids": [answer.json()["tool_id"]]})


def test_a_tool_is_called_with_a_token_that_holds_its_scope(stack: Stack) -> None:
    answer = call_calculator(stack, stack.bearer("safecracker"))

    assert answer.json() == {"result": 42}


def test_a_tool_refuses_who_sends_no_token_a_wrong_one_or_one_without_its_scope(stack: Stack) -> None:
    anonymous = call_calculator(stack)
    wrong = call_calculator(stack, {"Authorization": "Bearer wrong"})
    hacker = call_calculator(stack, stack.bearer("hacker"))

    assert (anonymous.status_code, anonymous.json()["code"]) == (401, "unauthenticated")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "invalid_token")
    assert (hacker.status_code, hacker.json()["code"]) == (403, "insufficient_scope")


def test_an_agent_lists_exactly_the_tools_it_may_use_in_the_seeds_eight_keys(stack: Stack) -> None:
    everything = stack.tools()
    headers = stack.bearer("safecracker")

    tools = stack.tools(headers)

    assert tools.keys() == {
        name for name, tool in everything.items() if set(tool["scopes"]) <= {"calculator:use"}
    }
    assert {"calculator", "send_email"} <= tools.keys() < everything.keys()
    assert {frozenset(tool) for tool in tools.values()} == {frozenset(SEED_KEYS)}


def test_each_agent_sees_its_own_tools(stack: Stack) -> None:
    team = {"calculator", "file_reader", "database_query", "simulation_data"}

    seen = {name: team & stack.tools(stack.bearer(name)).keys() for name in ("safecracker", "hacker")}

    assert seen == {"safecracker": {"calculator"}, "hacker": {"file_reader", "simulation_data"}}


def test_discovery_says_who_asks_and_with_which_scopes(stack: Stack) -> None:
    answer = stack.client.get("/", headers=stack.bearer("safecracker")).json()

    assert answer["authenticated"] is True
    assert answer["scopes"] == ["calculator:use", "tools:invoke"]


def test_a_tool_that_is_registered_while_the_agent_works_is_in_its_next_list(
    stack: Stack, abacus: str
) -> None:
    headers = stack.bearer("safecracker")

    assert abacus in stack.tools(headers)
    assert abacus not in stack.tools(stack.bearer("hacker"))


def test_a_grant_needs_a_new_token_and_withdrawing_it_bites_within_seconds(stack: Stack) -> None:
    old = stack.bearer("safecracker")
    assert stack.manage("grant_scope", "safecracker", "database:read").endswith("database:read tools:invoke")

    new = stack.bearer("safecracker")

    assert "database_query" in stack.tools(new)
    assert "database_query" not in stack.tools(old)

    stack.manage("grant_scope", "safecracker", "database:read", "--withdraw")

    eventually(lambda: "database_query" not in stack.tools(new), seconds=15)
    assert "calculator" in stack.tools(new)


def test_a_namespace_of_a_client_is_closed_to_who_sends_no_token(stack: Stack) -> None:
    answer = stack.client.post("/tools/register", json={**ABACUS, "provider": "mail-team"})

    assert (answer.status_code, answer.json()["code"]) == (403, "permission_missing")
