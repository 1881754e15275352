"""A small session, event by event, and models that summarize."""

from collections.abc import Sequence
from typing import Any

from consumers.models import AgentSession
from consumers.services.sessions import DatabaseLog
from tests.factories import NOW, at
from toolroster.agents.compression import Statement
from toolroster.agents.llm import Usage
from toolroster.agents.session import Member, MessageSaid, SessionEnded, SessionStarted, ToolCalled
from toolroster.agents.tool_loop import CallMade

MEMBERS = (
    Member("planner", "Strategic Heist Planner", (), ()),
    Member("hacker", "Technical Security Expert", ("simulation:read",), ("simulation_data",)),
)
STATISTICS = {
    "hacker": {
        "agent": "hacker",
        "total_tools_available": 1,
        "total_tool_calls": 1,
        "usage_by_tool": {"simulation_data": 1},
        "most_used_tool": "simulation_data",
    }
}


def started(session_id: str = "s1") -> SessionStarted:
    return SessionStarted(session_id, "The vault.", "qwen", MEMBERS, NOW, turn_order=("planner", "hacker"))


def said(turn_id: int, agent: str, message: str, *, session_id: str = "s1") -> MessageSaid:
    return MessageSaid(session_id, turn_id, agent, message, Usage(7, 3))


def called(tool: str = "simulation_data", told: str = "2 cameras", **params: Any) -> ToolCalled:
    made = CallMade(tool, params, told, tool_id=tool, duration_ms=12.5)
    return ToolCalled("s1", 2, "hacker", made)


def ended(session_id: str = "s1", failure: str = "") -> SessionEnded:
    return SessionEnded(session_id, "They met.", failure, STATISTICS, at(60))


def write_session(session_id: str = "s1", application: Any = None) -> AgentSession:
    """Write a session of two messages."""
    log = DatabaseLog(application and application.pk)
    log.started(started(session_id))
    log.message(said(1, "planner", "Where is it?", session_id=session_id))
    log.message(said(2, "hacker", "Below.", session_id=session_id))
    log.ended(ended(session_id))
    return AgentSession.objects.get(session_id=session_id)


class Counting:
    """A summarizer that says how often it was asked, and for how many statements."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def summarize(self, said: Sequence[Statement]) -> str:
        self.asked.append([one.message for one in said])
        return f"summary {len(self.asked)} of {len(said)}"
