"""Write a session down: as Markdown for people, as JSON for programs."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, TypeVar

from toolroster.agents.session import MessageSaid, Session, ToolCalled
from toolroster.prompts.prose import one_line, prose

_Event = TypeVar("_Event", MessageSaid, ToolCalled)
_LONGEST_TOLD = 500
_RENDERED = re.compile(r"[`*_\[\]#!|~]")
_BEGINNING = re.compile(r"^(\s*\d*)([-+=.)])")
"""What makes a list, a rule or a heading of a line that it begins."""


def as_json(session: Session) -> dict[str, Any]:
    """Return a session as a JSON object; times are ISO 8601."""
    start, end = asdict(session.start), asdict(session.end) if session.end else {}
    return {
        **start,
        "started_at": session.start.started_at.isoformat(),
        "turn_order": list(session.start.turn_order),
        "members": [
            {**asdict(one), "oauth_scopes": list(one.oauth_scopes), "tools": list(one.tools)}
            for one in session.start.members
        ],
        "messages": [_message(one) for one in session.messages],
        "calls": [_call(one) for one in session.calls],
        "summary": end.get("summary", ""),
        "failure": end.get("failure", ""),
        "statistics": end.get("statistics", {}),
        "ended_at": session.end.ended_at.isoformat() if session.end else None,
    }


def as_markdown(session: Session) -> str:
    """Return a session as Markdown: who took part, what was said and called, and how it ended.

    What agents and tools said stands in quotes and in code, so that nothing of it is taken for a heading.
    """
    return "\n".join([*_head(session), *_talk(session), *_tail(session)]) + "\n"


def _message(event: MessageSaid) -> dict[str, Any]:
    return {
        "turn_id": event.turn_id,
        "agent": event.agent,
        "message": event.message,
        "usage": asdict(event.usage),
    }


def _call(event: ToolCalled) -> dict[str, Any]:
    return {
        "turn_id": event.turn_id,
        "agent": event.agent,
        **asdict(event.call),
        "is_success": event.call.is_success,
    }


def _head(session: Session) -> Iterator[str]:
    start = session.start
    yield f"# Session {_inline(start.session_id)}"
    yield ""
    yield f"Topic: {_inline(start.topic)}  "
    yield f"Model: {_inline(start.model)}  "
    yield f"Started: {start.started_at.isoformat(timespec='seconds')}"
    yield ""
    yield "| Agent | Role | OAuth scopes | Tools |"
    yield "|---|---|---|---|"
    for one in start.members:
        cells = (one.name, one.role, ", ".join(one.oauth_scopes) or "None", ", ".join(one.tools) or "None")
        yield "| " + " | ".join(map(_inline, cells)) + " |"


def _talk(session: Session) -> Iterator[str]:
    """Give every turn in which something was said or called: a model may fail after a call."""
    messages, calls = _by_turn(session.messages), _by_turn(session.calls)
    for turn_id, agent in sorted({**messages, **calls}, key=lambda turn: turn[0]):
        yield ""
        yield f"## Turn {turn_id}: {_inline(agent)}"
        yield ""
        made, said = calls[turn_id, agent], messages[turn_id, agent]
        yield from map(_call_line, made)
        if made and said:
            yield ""
        for one in said:
            yield from _quoted(one.message)


def _by_turn(events: Iterable[_Event]) -> defaultdict[tuple[int, str], list[_Event]]:
    found = defaultdict[tuple[int, str], list[_Event]](list)
    for one in events:
        found[one.turn_id, one.agent].append(one)
    return found


def _call_line(event: ToolCalled) -> str:
    call = event.call
    mark = "✓" if call.is_success else "✗"
    params = json.dumps(call.params, ensure_ascii=False)
    return f"- {mark} {as_code(f'{call.tool}({params})')} → {as_code(call.told)}"


def _tail(session: Session) -> Iterator[str]:
    if session.end is None:
        return
    yield ""
    yield "## Summary"
    yield ""
    yield from _quoted(session.end.summary or "Nothing was said.")
    if session.end.failure:
        yield ""
        yield f"It ended early: {_inline(session.end.failure)}"
    yield ""
    yield "| Agent | Tools | Calls | Most used |"
    yield "|---|---|---|---|"
    for name, told in session.end.statistics.items():
        counts = (told["total_tools_available"], told["total_tool_calls"], told["most_used_tool"] or "None")
        yield "| " + " | ".join(map(_inline, (name, *map(str, counts)))) + " |"


def _quoted(text: str) -> Iterator[str]:
    return (f"> {_escaped(line)}".rstrip() for line in prose(text).split("\n"))


def _inline(text: str) -> str:
    return _escaped(one_line(text))


def _escaped(text: str) -> str:
    """Return a line of text that renders as it is (CommonMark §2.4), without links, lists and tables."""
    escaped = _RENDERED.sub(r"\\\g<0>", _BEGINNING.sub(r"\1\\\2", text.replace("\\", "\\\\")))
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def as_code(text: str) -> str:
    """Return text on one line as code, cut; a run of backticks longer than any in it encloses it."""
    line = one_line(text)
    line = line if len(line) <= _LONGEST_TOLD else f"{line[:_LONGEST_TOLD]}…"
    fence = "`"
    while fence in line:
        fence += "`"
    return f"{fence} {line} {fence}" if len(fence) > 1 else f"`{line}`"
