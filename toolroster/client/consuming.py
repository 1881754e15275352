"""What an agent declares and hears, without any I/O: its bindings, its inbox, and events."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from toolroster.client.calls import Ask, Operation

_BINDINGS = "/api/agents/me/bindings"
_INBOX = "/api/agents/me/events"


@dataclass(frozen=True, slots=True)
class Binding:
    """A tool that this agent declared, and the version that it is bound to; see docs/versions.md."""

    ref: str
    tool_id: str
    lifecycle: str

    @property
    def version(self) -> str:
        return self.tool_id.rpartition(":")[2]


class Bindings(list[Binding]):
    """All bindings of an agent in the order of tools, and how old they are in seconds."""

    age_seconds = 0.0


class Events(list[dict[str, Any]]):
    """Events `{id, kind, tool_id, occurred_at, data}`; `next` is the place to go on behind."""

    def __init__(self, rows: Iterable[dict[str, Any]], after: str) -> None:
        super().__init__(rows)
        self.next = after


@dataclass(frozen=True, slots=True)
class ToolToken:
    """An access token for one tool, and for how many seconds it counts."""

    token: str = field(repr=False)
    seconds: float


def tool_token(tool_id: str) -> Operation[ToolToken]:
    """Give a token for a tool's own audience; it is kept nowhere."""
    told = yield Ask(f"/api/tools/{quote(tool_id, safe=':')}/token", _is_token, json={}, is_kept=False)
    return ToolToken(told.content["access_token"], float(told.content["expires_in"]))


def report_usage(statistics: Mapping[str, Any]) -> Operation[int]:
    """Tell how often this agent called which tool itself, since it told last; give how many were added."""
    told = yield Ask("/api/agents/me/usage", _is_count, json=dict(statistics), is_kept=False)
    return int(told.content["calls"])


def bindings() -> Operation[Bindings]:
    """Give what this agent declared."""
    told = yield Ask(_BINDINGS, _are_bindings)
    return _bindings(told.content, told.age_seconds)


def declare(refs: Sequence[str]) -> Operation[Bindings]:
    """Declare all that this agent uses, and give what that binds it to."""
    told = yield Ask(_BINDINGS, _are_bindings, json={"refs": list(refs)}, method="PUT", is_kept=False)
    return _bindings(told.content, 0.0)


def inbox(after: str | None, limit: int, wait_seconds: int) -> Operation[Events]:
    """Give what concerns this agent, behind a place or behind what it acknowledged."""
    told = yield _events(_INBOX, after, limit, wait_seconds)
    return Events(told.content["results"], told.content["next"])


def acknowledge(upto: str) -> Operation[Events]:
    """Note that everything before a place was read; give what is left."""
    told = yield Ask(f"{_INBOX}/ack", _are_events, json={"upto": upto}, is_kept=False)
    return Events(told.content["results"], told.content["next"])


def events(after: str | None, limit: int, wait_seconds: int) -> Operation[Events]:
    """Give what happened to the tools that this caller may see."""
    told = yield _events("/api/events", after, limit, wait_seconds)
    return Events(told.content["results"], told.content["next"])


def _events(path: str, after: str | None, limit: int, wait_seconds: int) -> Ask:
    query = [("limit", str(limit)), ("wait", str(wait_seconds)), *([("after", after)] if after else [])]
    return Ask(path, _are_events, query, is_kept=False, wait_seconds=wait_seconds)


def _bindings(content: Any, age_seconds: float) -> Bindings:
    found = Bindings(Binding(row["ref"], row["bound"], row["lifecycle"]) for row in content["results"])
    found.age_seconds = age_seconds
    return found


def _is_count(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(content.get("calls"), int)


def _is_token(content: Any) -> bool:
    said = content if isinstance(content, dict) else {}
    return isinstance(said.get("access_token"), str) and isinstance(said.get("expires_in"), int)


def _are_bindings(content: Any) -> bool:
    return _holds(content, ("ref", "bound", "lifecycle"))


def _are_events(content: Any) -> bool:
    return _holds(content, ("kind", "tool_id", "occurred_at")) and isinstance(content.get("next"), str)


def _holds(content: Any, names: tuple[str, ...]) -> bool:
    rows = content.get("results") if isinstance(content, dict) else None
    return isinstance(rows, list) and all(
        isinstance(row, dict) and all(isinstance(row.get(name), str) for name in names) for row in rows
    )
