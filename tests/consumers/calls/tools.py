"""Tools at a server of tests, and agents that call them."""

from typing import Any

from tests.consumers.agents import Caller, caller
from tests.factories import make_document
from tests.registry.api.client import register_all
from tests.toolroster.routing.faulty import FaultyServer

CITY = {"name": "city", "type": "string", "required": True, "description": "Name of a city."}
DAYS = {"name": "days", "type": "integer", "default": 3}
READS = {"read_only": True, "idempotent": True, "categories": ["weather"], "tags": ["forecast"]}


def make_tool(faulty: FaultyServer, path: str, name: str = "forecast", **said: Any) -> dict[str, Any]:
    fields = {
        "provider": "weather-team",
        "name": name,
        "parameters": [CITY, DAYS],
        "endpoint": {"url": faulty.url(path)},
        "capabilities": READS,
    }
    return make_document(**{**fields, **said})


def publish(*documents: dict[str, Any]) -> None:
    register_all(list(documents))


def make_agent(name: str = "agent", scope: str = "tools:invoke") -> Caller:
    return caller(name, scope)


def invoke(agent: Caller, tool: str = "forecast", **said: Any) -> Any:
    body = {"tool": tool, "params": {"city": "Berlin"}, **said}
    return agent.post("/api/tools/invoke", body)
