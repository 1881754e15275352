"""Who serves when the version that was asked for cannot."""

import asyncio
from typing import Any

import pytest

from tests.toolroster.routing.faulty import FaultyServer
from tests.toolroster.routing.parts import SCHEMA, Agent, MemoryCatalogue, make_candidate, with_agent
from toolroster.errors import ToolFailed, ToolUnavailable
from toolroster.routing.breaker import BreakerRules
from toolroster.routing.candidates import Candidate

CITY = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
WRITES = {"categories": ["weather"], "tags": ["forecast"]}


def _served_by(*tools: Candidate, **others: Any) -> str:
    result = with_agent(lambda agent: agent.call(tools[0].name), *tools, **others)
    assert (result.why == "") is (result.tool_id == tools[0].tool_id)
    return str(result.tool_id.partition(":")[2])


def test_another_version_in_the_range_comes_first(faulty: FaultyServer) -> None:
    dead = make_candidate("forecast", version="1.2.0", alternatives=[{"ref": "other"}])
    older = make_candidate("forecast", faulty.url("ok"), version="1.1.0")

    assert _served_by(dead, older, make_candidate("other", faulty.url("ok"))) == "forecast:1.1.0"


def test_a_version_that_does_not_take_the_arguments_is_passed_over(faulty: FaultyServer) -> None:
    dead = make_candidate("forecast", version="1.2.0")
    older = make_candidate("forecast", faulty.url("ok"), version="1.1.0", input_schema=CITY)

    assert _served_by(dead, older, make_candidate("kin", faulty.url("ok"))) == "kin:1.0.0"


def test_a_declared_alternative_gets_the_arguments_in_its_own_names(faulty: FaultyServer) -> None:
    mapping = {"place": "city", "unit": "celsius"}
    dead = make_candidate(
        "forecast", alternatives=[{"ref": "other", "arguments": mapping}], capabilities=WRITES
    )
    schema = {**CITY, "properties": {**CITY["properties"], "unit": {"type": "string"}}}  # type: ignore[dict-item]
    other = make_candidate("other", faulty.url("echo"), input_schema=schema, capabilities=WRITES)

    result = with_agent(lambda agent: agent.call("forecast"), dead, other)

    assert result.content == {"place": "Berlin", "unit": "celsius"}
    assert "declares other" in result.why


@pytest.mark.parametrize(
    "unfit",
    [
        {"capabilities": WRITES},
        {"capabilities": {"read_only": True, "categories": ["mail"], "tags": ["forecast"]}},
        {"capabilities": {"read_only": True, "categories": ["weather"], "tags": ["radar"]}},
        {"policy": {"requires_approval": True}},
        {"input_schema": CITY},
        {"lifecycle": "DEPRECATED"},
    ],
    ids=["writes", "other category", "no shared tag", "asks for approval", "other arguments", "deprecated"],
)
def test_what_is_no_safe_stand_in_does_not_serve(faulty: FaultyServer, unfit: dict[str, Any]) -> None:
    dead, kin = make_candidate("forecast"), make_candidate("kin", faulty.url("ok"), **unfit)

    error = with_agent(lambda agent: agent.error("forecast"), dead, kin)

    assert isinstance(error, ToolUnavailable)
    assert not faulty.calls


def test_a_tool_that_stays_in_the_house_is_not_replaced_by_one_that_does_not(faulty: FaultyServer) -> None:
    reads = {"read_only": True, "categories": ["weather"], "tags": ["forecast"]}
    dead = make_candidate("forecast", capabilities={**reads, "open_world": False})

    error = with_agent(
        lambda a: a.error("forecast"), dead, make_candidate("kin", faulty.url("ok"), capabilities=reads)
    )

    assert isinstance(error, ToolUnavailable)


def test_a_mutation_is_never_guessed(faulty: FaultyServer) -> None:
    dead, kin = make_candidate("book", capabilities=WRITES), make_candidate("kin", faulty.url("ok"))

    error = with_agent(lambda agent: agent.error("book"), dead, kin)

    assert isinstance(error, ToolUnavailable)
    assert not faulty.calls


def test_the_healthy_and_cheap_one_of_equals_serves(faulty: FaultyServer) -> None:
    reads = {"read_only": True, "categories": ["weather"], "tags": ["forecast"]}
    costly = make_candidate("a", faulty.url("ok"), capabilities={**reads, "cost_level": "HIGH"})
    sick = make_candidate("b", faulty.url("ok"), health="SUSPECT")
    good = make_candidate("c", faulty.url("ok"))

    assert _served_by(make_candidate("forecast"), costly, sick, good) == "c:1.0.0"


def test_what_is_hardly_similar_does_not_serve(faulty: FaultyServer) -> None:
    tools = [make_candidate("forecast"), make_candidate("kin", faulty.url("ok"))]

    error = with_agent(lambda a: a.error("forecast"), catalogue=MemoryCatalogue(tools, similarity=0.2))

    assert isinstance(error, ToolUnavailable)


def test_a_dead_tool_is_served_by_its_sibling_until_it_recovers(faulty: FaultyServer) -> None:
    rules = BreakerRules(least_calls=2, open_seconds=0.2, probes=1)
    tools = [make_candidate("forecast", faulty.url("switch")), make_candidate("kin", faulty.url("ok"))]

    async def story(agent: Agent) -> list[str]:
        served = []
        for faulty.mode in ("ok", "500", "500", "500"):
            served.append((await agent.call("forecast")).tool_id.split(":")[1])
            await agent.engine.settle()
        sent = faulty.calls["switch"]
        served.append((await agent.call("forecast")).tool_id.split(":")[1])
        assert faulty.calls["switch"] == sent  # the breaker is open: it is left alone
        faulty.mode = "ok"
        while (await agent.call("forecast")).why:
            await asyncio.sleep(0.02)
        await agent.engine.settle()
        assert [note[2] for note in agent.notes.breakers] == ["OPEN", "CLOSED"]
        return served

    served = with_agent(story, *tools, rules=rules)

    assert served == ["forecast", "kin", "kin", "kin", "kin"]


def test_a_writing_tool_that_failed_is_not_followed_by_another(faulty: FaultyServer) -> None:
    tool = make_candidate("book", faulty.url("500"), alternatives=[{"ref": "other"}], capabilities=WRITES)
    other = make_candidate("other", faulty.url("ok"), capabilities=WRITES)

    error = with_agent(lambda agent: agent.error("book"), tool, other)

    assert isinstance(error, ToolFailed)
    assert faulty.calls == {"500": 1}


def test_what_reads_is_never_replaced_by_what_changes_something(
    faulty: FaultyServer,
) -> None:
    mapping = {"city": "city", "days": 9}
    dead = make_candidate("forecast", alternatives=[{"ref": "transfer", "arguments": mapping}])
    transfer = make_candidate("transfer", faulty.url("ok"), capabilities={"destructive": True})
    older = make_candidate("forecast", faulty.url("ok"), version="0.9.0", capabilities=WRITES)

    error = with_agent(lambda agent: agent.error("forecast"), dead, older, transfer)

    assert isinstance(error, ToolUnavailable)
    assert not faulty.calls


def test_after_a_mutation_was_sent_no_other_tool_does_it_again(faulty: FaultyServer) -> None:
    repeatable = {**WRITES, "idempotent": True}
    tool = make_candidate("mail", faulty.url("500"), alternatives=[{"ref": "mail2"}], capabilities=repeatable)
    other = make_candidate("mail2", faulty.url("ok"), capabilities=repeatable)

    error = with_agent(lambda agent: agent.error("mail"), tool, other)

    assert isinstance(error, ToolFailed)
    assert error.extra["sent"] is True
    assert set(faulty.calls) == {"500"}


def test_a_stand_in_gets_defaults_of_its_own(faulty: FaultyServer) -> None:
    only_city = {**SCHEMA, "properties": {"city": {"type": "string"}, "unit": {"default": "C"}}}
    dead = make_candidate("forecast", version="1.1.0")
    older = make_candidate("forecast", faulty.url("echo"), version="1.0.0", input_schema=only_city)

    result = with_agent(lambda agent: agent.call("forecast"), dead, older)

    assert result.content == {"city": "Berlin", "unit": "C"}


@pytest.mark.parametrize(("provider", "serves"), [("weather-team", True), ("stranger", False)])
def test_a_stranger_is_not_given_what_is_sensitive(faulty: FaultyServer, provider: str, serves: bool) -> None:  # noqa: FBT001 - a table
    secret = {"properties": {"city": {"type": "string", "x-sensitive": True}}}
    dead = make_candidate("forecast", input_schema=secret)
    kin = make_candidate("kin", faulty.url("ok"), provider=provider)

    with_agent(lambda a: a.call("forecast") if serves else a.error("forecast"), dead, kin)

    assert bool(faulty.calls) is serves
