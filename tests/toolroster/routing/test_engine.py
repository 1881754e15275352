"""The router over real HTTP, with a server that fails in every way."""

import asyncio
from typing import Any

import pytest

from tests.toolroster.routing.faulty import FaultyServer
from tests.toolroster.routing.parts import Agent, make_candidate, with_agent
from toolroster.errors import (
    ArgumentsInvalid,
    ConcurrencyLimited,
    InsufficientScope,
    PermissionMissing,
    RateLimited,
    TimedOut,
    ToolFailed,
    ToolNotFound,
    ToolRefused,
    ToolUnavailable,
)
from toolroster.routing.calls import Caller, CallOutcome
from toolroster.routing.candidates import Candidate

WRITES = {"categories": ["weather"], "tags": ["forecast"]}


def _fast(name: str, *urls: str, **said: Any) -> Candidate:
    return make_candidate(name, *urls, policy={"timeout_ms": 200, **said.pop("policy", {})}, **said)


def test_a_call_arrives_with_its_defaults_and_comes_back_with_the_result(faulty: FaultyServer) -> None:
    result = with_agent(lambda agent: agent.call("forecast"), make_candidate("forecast", faulty.url("echo")))

    assert result.content == {"city": "Berlin", "days": 3}
    assert (result.tool_id, result.why, result.attempts) == ("weather-team:forecast:1.0.0", "", 1)


def test_wrong_arguments_are_told_before_anything_is_called(faulty: FaultyServer) -> None:
    error = with_agent(
        lambda agent: agent.error("forecast", {"town": "Berlin", "days": 0}),
        make_candidate("forecast", faulty.url("ok")),
    )

    assert isinstance(error, ArgumentsInvalid)
    assert [fault.pointer for fault in error.errors] == ["/city", "/town", "/days"]
    assert not faulty.calls


def test_an_unknown_tool_names_what_is_there(faulty: FaultyServer) -> None:
    error = with_agent(lambda agent: agent.error("forcast"), make_candidate("forecast", faulty.url("ok")))

    assert isinstance(error, ToolNotFound)
    assert error.nearest == ("forecast",)


@pytest.mark.parametrize(
    ("path", "kind", "outcome"),
    [
        ("500", ToolFailed, CallOutcome.FAILED),
        ("503", ToolFailed, CallOutcome.FAILED),
        ("reset", ToolFailed, CallOutcome.FAILED),
        ("half", ToolFailed, CallOutcome.FAILED),
        ("garbage", ToolFailed, CallOutcome.FAILED),
        ("broken", ToolFailed, CallOutcome.FAILED),
        ("huge", ToolFailed, CallOutcome.FAILED),
        ("redirect", ToolFailed, CallOutcome.FAILED),
        ("hang", TimedOut, CallOutcome.TIMED_OUT),
        ("422", ToolRefused, CallOutcome.REJECTED),
        ("401", PermissionMissing, CallOutcome.REJECTED),
        ("429", RateLimited, CallOutcome.REJECTED),
    ],
)
def test_every_failure_of_a_tool_has_its_error_and_its_row(
    faulty: FaultyServer, path: str, kind: type[Exception], outcome: CallOutcome
) -> None:
    async def story(agent: Agent) -> None:
        error = await agent.error("forecast")
        assert type(error) is kind
        assert [call.outcome for call in agent.notes.calls] == [outcome]
        assert agent.notes.calls[0].error_code == error.code

    with_agent(story, _fast("forecast", faulty.url(path), capabilities=WRITES))

    assert faulty.calls[path] == 1


def test_what_the_tool_says_is_wrong_comes_along(faulty: FaultyServer) -> None:
    error = with_agent(lambda agent: agent.error("forecast"), make_candidate("forecast", faulty.url("422")))

    assert (error.errors[0].pointer, error.nearest) == ("/city", ("Berlin",))
    assert error.extra["answered_code"] == "city_unknown"


def test_a_reading_tool_is_asked_again_elsewhere(faulty: FaultyServer) -> None:
    tool = _fast("forecast", faulty.url("500"), faulty.url("ok"))

    results = with_agent(lambda agent: asyncio.gather(*(agent.call("forecast") for _ in range(4))), tool)

    assert [result.content for result in results] == [{"said": "ok"}] * 4


def test_a_writing_tool_is_never_asked_twice_for_one_call(faulty: FaultyServer) -> None:
    tool = _fast("forecast", faulty.url("500"), faulty.url("reset"), capabilities=WRITES)

    with_agent(lambda agent: agent.error("forecast"), tool)

    assert faulty.by_id == {"call-1": 1}


def test_a_writing_tool_whose_instance_is_gone_is_served_by_the_other(faulty: FaultyServer) -> None:
    tool = _fast("forecast", "http://127.0.0.1:9/gone", faulty.url("ok"), capabilities=WRITES)

    results = with_agent(lambda agent: asyncio.gather(*(agent.call("forecast") for _ in range(6))), tool)

    assert all(result.content == {"said": "ok"} for result in results)
    assert set(faulty.by_id.values()) == {1}


def test_a_caller_in_a_hurry_is_answered_in_its_time(faulty: FaultyServer) -> None:
    tool = make_candidate("forecast", faulty.url("hang"), capabilities=WRITES)

    error = with_agent(lambda agent: agent.error("forecast", timeout_seconds=0.1), tool)

    assert isinstance(error, TimedOut)


def test_a_call_that_is_given_up_is_noted_and_ends_the_request(faulty: FaultyServer) -> None:
    async def story(agent: Agent) -> None:
        task = asyncio.create_task(agent.call("forecast"))
        while not faulty.calls["hang"]:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert [call.outcome for call in agent.notes.calls] == [CallOutcome.CANCELLED]

    with_agent(story, make_candidate("forecast", faulty.url("hang"), capabilities=WRITES))


def test_too_many_calls_a_minute_are_told_when_to_come_back(faulty: FaultyServer) -> None:
    async def story(agent: Agent) -> Any:
        await agent.call("forecast")
        await agent.call("forecast")
        return await agent.error("forecast")

    error = with_agent(story, _fast("forecast", faulty.url("ok"), policy={"rate_limit_per_minute": 2}))

    assert isinstance(error, RateLimited)
    assert error.retry_after_seconds in range(1, 61)
    assert faulty.calls["ok"] == 2


def test_no_more_calls_run_at_once_than_the_policy_allows(faulty: FaultyServer) -> None:
    tool = make_candidate("forecast", faulty.url("slow"), policy={"max_concurrent_calls": 2})

    async def story(agent: Agent) -> list[Any]:
        calls = (agent.call("forecast") for _ in range(5))
        return await asyncio.gather(*calls, return_exceptions=True)

    results = with_agent(story, tool)

    assert sum(isinstance(one, ConcurrencyLimited) for one in results) == 3
    assert faulty.most_running["slow"] == 2


def test_seeing_a_tool_is_not_calling_it(faulty: FaultyServer) -> None:
    tool = make_candidate("forecast", faulty.url("ok"), scopes=["weather:read"])

    error = with_agent(
        lambda a: a.error("forecast"), tool, caller=Caller("agent", scopes=frozenset({"mail:send"}))
    )

    assert isinstance(error, InsufficientScope)
    assert error.scopes == ("weather:read",)
    assert not faulty.calls


def test_a_role_that_is_missing_is_named(faulty: FaultyServer) -> None:
    tool = make_candidate("forecast", faulty.url("ok"), policy={"allowed_roles": ["analyst"]})

    error = with_agent(
        lambda a: a.error("forecast"),
        tool,
        caller=Caller("agent", scopes=frozenset(), roles=frozenset({"clerk"})),
    )

    assert error.extra["allowed_roles"] == ["analyst"]


def test_a_tool_that_requires_approval_is_not_called_without_anybody_to_ask(faulty: FaultyServer) -> None:
    tool = make_candidate("forecast", faulty.url("ok"), policy={"requires_approval": True})

    error = with_agent(lambda agent: agent.error("forecast"), tool)

    assert isinstance(error, PermissionMissing)
    assert not faulty.calls


def test_nothing_alive_is_told_with_when_to_retry() -> None:
    error = with_agent(lambda agent: agent.error("forecast"), make_candidate("forecast"))

    assert isinstance(error, ToolUnavailable)
    assert error.retry_after_seconds == 30


def test_one_hanging_tool_does_not_slow_others_down(faulty: FaultyServer) -> None:
    hanging = make_candidate("hanging", faulty.url("hang"), capabilities=WRITES, policy={"timeout_ms": 1500})
    fine = make_candidate("fine", faulty.url("ok"), policy={"rate_limit_per_minute": 1000})

    async def story(agent: Agent) -> list[float]:
        stuck = [asyncio.create_task(agent.error("hanging")) for _ in range(50)]
        results = [await agent.call("fine") for _ in range(30)]
        assert not any(task.done() for task in stuck)
        await asyncio.gather(*stuck)
        return sorted(result.duration_ms for result in results)

    assert with_agent(story, hanging, fine)[15] < 750  # half of what the hanging ones wait


def test_no_call_is_lost_or_doubled_and_each_has_its_row(faulty: FaultyServer) -> None:
    kinds = ["ok", "500", "reset", "garbage", "huge", "422", "slow", "half"]
    tools = [
        make_candidate(
            f"tool{place}", faulty.url(kind), capabilities=WRITES, policy={"rate_limit_per_minute": 9999}
        )
        for place, kind in enumerate(kinds)
    ]

    async def story(agent: Agent) -> list[Any]:
        calls = (agent.call(f"tool{n % len(kinds)}") for n in range(160))
        await asyncio.gather(*calls, return_exceptions=True)
        return agent.notes.calls

    rows = with_agent(story, *tools)

    assert len({row.call_id for row in rows}) == len(rows) == 160
    sent = {row.call_id for row in rows if row.attempts}
    assert sent == set(faulty.by_id)
    assert set(faulty.by_id.values()) == {1}
