"""The agent of seeds/000: with servers that speak its protocol, and with those that hardly do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from toolroster import DiskCache, DynamicToolAgent
from toolroster.errors import ToolNotFound


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "known")


def _transport(handler: Callable[[httpx.Request], httpx.Response]) -> dict[str, Any]:
    return {"transport": httpx.MockTransport(handler)}


SEED = {
    "service": "Tool Discovery Server (MCP)",
    "protocol": "MCP",
    "tools": [
        {
            "name": "calculator",
            "endpoint": "/tools/calculator",
            "scopes": ["calculator:use"],
            "description": "Perform mathematical calculations",
            "parameters": {"expression": {"type": "string", "description": "Math expression to evaluate"}},
            "returns": "Calculation result",
            "host": "localhost",
            "port": 8002,
            "unheard_of": 1,
        },
        {"name": "free", "endpoint": "https://tools.test/free", "scopes": [], "parameters": {}},
    ],
}


class SeedServer:
    """A server that speaks the protocol of seeds/000 and nothing else, and the tools behind it."""

    def __init__(self) -> None:
        self.calls: list[httpx.Request] = []
        self.discovery: Any = SEED

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/":
            return httpx.Response(200, json=self.discovery)
        self.calls.append(request)
        return httpx.Response(200, json={"result": 42} if request.url.path == "/tools/calculator" else [1, 2])


@pytest.fixture
def seed() -> SeedServer:
    return SeedServer()


@pytest.fixture
def agent(seed: SeedServer, cache: DiskCache) -> DynamicToolAgent:
    return DynamicToolAgent("safecracker", "token-1", "http://seed", cache=cache, **_transport(seed))


def test_an_agent_of_the_seed_works_with_a_server_of_the_seed(agent, seed):
    assert agent.list_tools() == ["calculator", "free"]
    assert agent.get_tool("calculator").get_url() == "http://localhost:8002/tools/calculator"
    assert agent.use_tool("calculator", expression="6 * 7") == 42
    assert agent.use_tool("free", anything=1) == [1, 2]
    assert [str(call.url) for call in seed.calls] == [
        "http://localhost:8002/tools/calculator",
        "https://tools.test/free",
    ]
    assert seed.calls[0].headers["authorization"] == "Bearer token-1"
    assert agent.get_tool_usage_stats() == {
        "agent": "safecracker",
        "total_tools_available": 2,
        "total_tool_calls": 2,
        "usage_by_tool": {"calculator": 1, "free": 1},
        "most_used_tool": "calculator",
    }


def test_its_prompt_is_in_the_words_of_the_seed(agent):
    assert agent.generate_tool_prompt_context().splitlines()[:2] == [
        "Available tools:",
        "- calculator(expression): Perform mathematical calculations",
    ]


@pytest.mark.parametrize(
    "bad",
    [
        "a text",
        1,
        None,
        {"name": "x"},
        {"name": "x", "endpoint": None},
        {"name": "x", "endpoint": "/x", "port": "a"},
    ],
)
def test_one_bad_entry_does_not_empty_the_list(seed, cache, bad):
    seed.discovery = SEED | {"tools": [bad, SEED["tools"][1]]}

    with DynamicToolAgent("clerk", None, "http://seed", cache=cache, **_transport(seed)) as agent:
        assert agent.list_tools() == ["free"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"a": {"type": ["string"]}},
        {"a": {"$ref": "#/nowhere"}},
        {"a": {"pattern": "("}},
        {"a": "text"},
        {"tool_name": {}},
    ],
)
def test_odd_parameters_do_not_stop_a_call(seed, cache, parameters):
    seed.discovery = SEED | {"tools": [{"name": "odd", "endpoint": "/odd", "parameters": parameters}]}

    with DynamicToolAgent("clerk", None, "http://seed", cache=cache, **_transport(seed)) as agent:
        assert agent.use_tool("odd", **dict.fromkeys(parameters, "x")) == [1, 2]


@pytest.mark.parametrize(
    ("response", "result"),
    [
        (httpx.Response(200, json={"result": 2**80}), 2**80),
        (httpx.Response(200, json={"result": "a\0b"}), "a\0b"),
        (httpx.Response(200, text="plain"), "plain"),
        (httpx.Response(200, json={"result": 1, "more": 2}), {"result": 1, "more": 2}),
    ],
)
def test_whatever_a_tool_answers_is_a_result(cache, response, result):
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=SEED) if request.url.path == "/" else response

    with DynamicToolAgent("clerk", None, "http://seed", cache=cache, **_transport(answer)) as agent:
        assert agent.use_tool("free") == result


def test_a_new_token_is_sent_from_then_on(agent, seed):
    agent.oauth_token = "token-2"
    agent.use_tool("calculator", expression="1")

    assert seed.calls[-1].headers["authorization"] == "Bearer token-2"


def test_a_tool_that_asks_for_no_scope_is_not_shown_the_token(agent, seed):
    agent.use_tool("free")

    assert "authorization" not in seed.calls[-1].headers


def test_rediscovery_says_what_was_gained_and_lost(agent, seed):
    seed.discovery = SEED | {"tools": [SEED["tools"][0], {"name": "new", "endpoint": "/new"}]}

    changed = agent.rediscover_tools()

    assert (changed.gained, changed.lost) == (["new"], ["free"])
    assert agent.has_tool("new")
    assert not agent.has_tool("free")


def test_an_agent_whose_server_was_never_there_has_no_tools_and_says_so(cache, caplog):
    def down(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("down", request=request)

    agent = DynamicToolAgent("clerk", None, "http://seed", cache=cache, **_transport(down))

    assert (agent.available_tools, agent.generate_tool_prompt_context()) == ([], "")
    assert "no tools were discovered" in caplog.text
    with pytest.raises(ToolNotFound):
        agent.use_tool("calculator")
