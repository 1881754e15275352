"""A session written down, with what agents and tools put into it."""

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from toolroster.agents import export
from toolroster.agents.llm import Usage
from toolroster.agents.session import Member, MessageSaid, Session, SessionEnded, SessionStarted, ToolCalled
from toolroster.agents.tool_loop import CallMade

NOW = datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)


def _said(turn_id: int, agent: str, message: str) -> MessageSaid:
    return MessageSaid("s1", turn_id, agent, message, Usage(7, 3))


def _called(turn_id: int, agent: str, tool: str = "calculator", **params: Any) -> ToolCalled:
    return ToolCalled("s1", turn_id, agent, CallMade(tool, params, "555.5", tool_id=f"x:{tool}:1.0.0"))


def _session(*events: MessageSaid | ToolCalled, role: str = "Planner", failure: str = "") -> Session:
    members = (Member("planner", role, (), ("calculator",)),)
    start = SessionStarted("s1", "Plan it.", "qwen", members, NOW, turn_order=("planner",))
    statistics = {"planner": {"total_tools_available": 1, "total_tool_calls": 2, "most_used_tool": "a_b"}}
    return Session(
        start,
        [one for one in events if isinstance(one, MessageSaid)],
        [one for one in events if isinstance(one, ToolCalled)],
        SessionEnded("s1", "It *went* well.", failure, statistics, NOW),
    )


def test_a_session_is_exported_as_json():
    session = _session(_called(1, "planner", expression="1"), _said(1, "planner", "A plan."))

    exported = json.loads(json.dumps(export.as_json(session)))

    assert (exported["started_at"], exported["turn_order"]) == ("2025-06-15T15:06:40+00:00", ["planner"])
    assert exported["members"][0]["tools"] == ["calculator"]
    assert [one["turn_id"] for one in exported["messages"]] == [1]
    assert (exported["calls"][0]["params"], exported["calls"][0]["is_success"]) == ({"expression": "1"}, True)
    assert exported["statistics"]["planner"]["most_used_tool"] == "a_b"


def test_a_session_is_exported_as_markdown():
    session = _session(_called(1, "planner", expression="1 * 2"), _said(1, "planner", "A plan."))

    text = export.as_markdown(session)

    assert text.startswith("# Session s1\n\nTopic: Plan it.  \nModel: qwen  \n")
    assert "| planner | Planner | None | calculator |" in text
    call = '- ✓ `calculator({"expression": "1 * 2"})` → `555.5`'
    assert f"## Turn 1: planner\n\n{call}\n\n> A plan.\n" in text
    assert text.endswith("| planner | 1 | 2 | a\\_b |\n")


def test_a_turn_in_which_the_model_failed_shows_its_calls():
    session = _session(_said(1, "planner", "A plan."), _called(2, "hacker"), failure="hacker: It is away.")

    text = export.as_markdown(session)

    assert "> A plan.\n\n## Turn 2: hacker\n\n- ✓ `calculator({})` → `555.5`\n\n## Summary" in text
    assert "It ended early: hacker: It is away." in text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("# Heading", "\\# Heading"),
        ("![x](http://a.test/?q)", "\\!\\[x\\](http://a.test/?q)"),
        ("[x](javascript:y)", "\\[x\\](javascript:y)"),
        ("*a* __b__ ~~c~~", "\\*a\\* \\_\\_b\\_\\_ \\~\\~c\\~\\~"),
        ("`x` \\` y", "\\`x\\` \\\\\\` y"),
        ("<script>&lt;", "&lt;script&gt;&amp;lt;"),
        ("> quote", "&gt; quote"),
        ("| a | b |", "\\| a \\| b \\|"),
        ("---", "\\---"),
        ("- a", "\\- a"),
        ("12. a", "12\\. a"),
        ("It is 1.5 - or 2.", "It is 1.5 - or 2."),
    ],
)
def test_what_is_said_cannot_shape_the_markdown(said, shown):
    text = export.as_markdown(_session(_said(1, "planner", said)))

    assert f"> {shown}" in text.splitlines()


def test_a_role_cannot_leave_its_cell():
    text = export.as_markdown(_session(role="x|y\n# z"))

    assert "| planner | x\\|y \\# z | None | calculator |" in text.splitlines()


def test_code_in_a_result_stays_in_its_code():
    assert export.as_code("a ``b`` c") == "``` a ``b`` c ```"


def test_a_session_that_lasts_can_be_exported():
    session = _session(_said(1, "planner", "A plan."))
    session.end = None

    assert export.as_json(session)["ended_at"] is None
    assert "## Summary" not in export.as_markdown(session)


def test_a_long_session_is_written_in_linear_time():
    events = [one for turn in range(8000) for one in (_called(turn, "planner"), _said(turn, "planner", "x"))]
    begun = time.process_time()

    export.as_markdown(_session(*events))

    assert time.process_time() - begun < 3  # comparing each with each took 10 times as long
