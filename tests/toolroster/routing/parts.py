"""Routers for tests: a catalogue in memory, real HTTP, and what they noted."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolroster.errors import ToolNotFound, ToolrosterError
from toolroster.routing.breaker import BreakerRules
from toolroster.routing.calls import Caller, CallRecord, Invocation
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.catalogue import Found, Sibling, is_kin
from toolroster.routing.engine import Engine
from toolroster.routing.parts import Parts
from toolroster.routing.result import ToolResult
from toolroster.routing.stores.memory import MemoryStore
from toolroster.routing.transport import HTTPTransport

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3, "minimum": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
ARGUMENTS = {"city": "Berlin"}


def make_candidate(name: str, *urls: str, version: str = "1.0.0", **said: Any) -> Candidate:
    """A reading tool at these addresses; `said` are parts of its document."""
    document = {
        "provider": "weather-team",
        "name": name,
        "version": version,
        "input_schema": SCHEMA,
        "endpoint": {"url": urls[0] if urls else "http://127.0.0.1:9/none"},
        "capabilities": {"read_only": True, "categories": ["weather"], "tags": ["forecast"]},
        "health": "HEALTHY",
        **said,
    }
    instances = [Instance(f"instance-{place}", url) for place, url in enumerate(urls)]
    return Candidate.of(document, instances, may_be_private=True)


@dataclass
class MemoryCatalogue:
    """Tools in memory: the first version of a name is the one that is meant."""

    tools: Sequence[Candidate] = ()
    similarity: float = 0.9

    async def find(self, ref: str, caller: Caller) -> Found:
        name = ref.partition("@")[0].rpartition("/")[2]
        versions = [one for one in self.tools if one.name == name]
        if not versions:
            raise ToolNotFound(f"There is no tool {ref}.", nearest=[one.name for one in self.tools])
        return Found(versions[0], tuple(versions[1:]))

    async def siblings(self, candidate: Candidate, caller: Caller) -> list[Sibling]:
        return [Sibling(one, self.similarity) for one in self.tools if is_kin(one, candidate)]


@dataclass
class Notes:
    """A recorder that keeps everything."""

    calls: list[CallRecord] = field(default_factory=list)
    breakers: list[tuple[str, str, str, float]] = field(default_factory=list)

    def record(self, call: CallRecord) -> None:
        self.calls.append(call)

    def note_breaker(self, tool_id: str, instance: str, state: str, seconds: float) -> None:
        self.breakers.append((tool_id, instance, state, seconds))


class Agent:
    """Calls through an engine on the running loop, and remembers what was noted."""

    def __init__(self, *tools: Candidate, **others: Any) -> None:
        self.notes = Notes()
        self.transport = HTTPTransport(most_bytes=100_000)
        self.catalogue = others.pop("catalogue", None) or MemoryCatalogue(tools)
        self.caller = others.pop("caller", Caller("agent"))
        parts: dict[str, Any] = {"store": MemoryStore(), "rules": BreakerRules(), **others}
        self.engine = Engine(Parts(self.catalogue, self.transport, recorder=self.notes, **parts))
        self._count = 0

    async def call(self, ref: str, params: Mapping[str, Any] | None = None, **said: Any) -> ToolResult:
        self._count += 1
        given = ARGUMENTS if params is None else params
        return await self.engine.invoke(Invocation(f"call-{self._count}", ref, given, self.caller, **said))

    async def error(self, ref: str, params: Mapping[str, Any] | None = None, **said: Any) -> ToolrosterError:
        try:
            result = await self.call(ref, params, **said)
        except ToolrosterError as error:
            return error
        raise AssertionError(f"it came back with {result}")

    async def close(self) -> None:
        await self.engine.settle()
        await self.transport.close()


def with_agent(story: Callable[[Agent], Awaitable[Any]], *tools: Candidate, **others: Any) -> Any:
    """Run a story with an agent, and return what it returns."""

    async def run() -> Any:
        agent = Agent(*tools, **others)
        try:
            return await story(agent)
        finally:
            await agent.close()

    return asyncio.run(run())
