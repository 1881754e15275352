"""Tables on the page of a session, cut where it is long: the exports have all of it."""

import json
from collections.abc import Sequence

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from consumers.models import AgentSession, SessionCall, ToolCall

MOST_ROWS = 200
LONGEST_TEXT = 2000
"""Characters of a cell."""


def agents(row: AgentSession) -> SafeString:
    """Return who took part: role, scopes, tools that were discovered, and how often they were used."""
    used = {name: told.get("usage_by_tool") or {} for name, told in row.statistics.items()}
    rows = [
        [
            one["name"],
            one["role"],
            ", ".join(one["oauth_scopes"]) or "None",
            ", ".join(one["tools"]) or "None",
            ", ".join(f"{tool}: {count}" for tool, count in used.get(one["name"], {}).items()),
        ]
        for one in row.members
    ]
    return _table(row, ["Agent", "Role", "OAuth scopes", "Tools", "Used"], rows)


def messages(row: AgentSession) -> SafeString:
    """Return what was said, in order."""
    said = row.messages.order_by("pk")[: MOST_ROWS + 1]
    rows = [
        [one.turn_id, one.agent, _cut(one.message), one.prompt_tokens + one.completion_tokens or ""]
        for one in said
    ]
    return _table(row, ["Turn", "Agent", "Message", "Tokens"], rows)


def calls(row: AgentSession) -> SafeString:
    """Return what was called, in order."""
    made = row.calls.order_by("pk")[: MOST_ROWS + 1]
    rows = [[one.turn_id, one.agent, one.tool, *_outcome(one)] for one in made]
    return _table(row, ["Turn", "Agent", "Tool", "Arguments", "Outcome", "Answer", "ms"], rows)


def _outcome(call: SessionCall) -> list[str]:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    return [_cut(arguments), call.error_code or "OK", _cut(call.told), f"{call.duration_ms:.0f}"]


def routed(row: AgentSession) -> SafeString:
    """Return the rows of the router's audit that name this session, whoever sent them."""
    made = ToolCall.objects.filter(session_id=row.session_id).order_by("called_at", "call_id")
    rows = [
        [
            f"{one.called_at:%Y-%m-%d %H:%M:%S}",
            one.agent,
            one.tool_id or one.ref,
            one.outcome,
            one.error_code,
            f"{one.duration_ms:.0f}",
        ]
        for one in made[: MOST_ROWS + 1]
    ]
    return _table(row, ["At (UTC)", "Agent", "Tool", "Outcome", "Error", "ms"], rows)


def _table(row: AgentSession, headings: Sequence[str], rows: Sequence[Sequence[object]]) -> SafeString:
    context = {
        "headings": headings,
        "rows": rows[:MOST_ROWS],
        "more_url": reverse("admin:consumers_agentsession_export", args=[row.pk, "md"]),
        "is_cut": len(rows) > MOST_ROWS,
    }
    return render_to_string("admin/registry/panel.html", context)


def _cut(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}… (cut: {len(text)} characters)"
