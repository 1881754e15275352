"""What happens in a session of a team, and who keeps it: here in memory, on the platform in rows."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from toolroster.agents.llm import Usage
from toolroster.agents.tool_loop import CallMade


@dataclass(frozen=True, slots=True)
class Member:
    """An agent of a session, and the tools it had found when the session began."""

    name: str
    role: str
    oauth_scopes: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """A session begins."""

    session_id: str
    topic: str
    model: str
    members: tuple[Member, ...]
    started_at: datetime
    turn_order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MessageSaid:
    """An agent said something; turns count from 1."""

    session_id: str
    turn_id: int
    agent: str
    message: str = field(repr=False)
    usage: Usage


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """An agent called a tool in a turn, before it said something."""

    session_id: str
    turn_id: int
    agent: str
    call: CallMade


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """A session ends: `failure` says why before its last turn, "" is as planned.

    `statistics` has for each agent what `DynamicToolAgent.get_tool_usage_stats` says.
    """

    session_id: str
    summary: str
    failure: str
    statistics: Mapping[str, Mapping[str, Any]]
    ended_at: datetime


class SessionLog(Protocol):
    """Who keeps sessions; each event comes once, in the order in which it happened."""

    def started(self, event: SessionStarted) -> None: ...

    def message(self, event: MessageSaid) -> None: ...

    def call(self, event: ToolCalled) -> None: ...

    def ended(self, event: SessionEnded) -> None: ...


@dataclass(slots=True)
class Session:
    """All that is kept of one session; `end` is None while it lasts."""

    start: SessionStarted
    messages: list[MessageSaid] = field(default_factory=list)
    calls: list[ToolCalled] = field(default_factory=list)
    end: SessionEnded | None = None


class InMemorySessionLog:
    """Keeps sessions in this process."""

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def started(self, event: SessionStarted) -> None:
        with self._lock:
            self.sessions[event.session_id] = Session(event)

    def message(self, event: MessageSaid) -> None:
        with self._lock:
            self.sessions[event.session_id].messages.append(event)

    def call(self, event: ToolCalled) -> None:
        with self._lock:
            self.sessions[event.session_id].calls.append(event)

    def ended(self, event: SessionEnded) -> None:
        with self._lock:
            self.sessions[event.session_id].end = event
