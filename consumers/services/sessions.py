"""Keep sessions in rows, and read them back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F

from consumers.models import AgentSession, SessionCall, SessionMessage
from consumers.services import session_calls
from consumers.services.storing import count, let_go, storable
from oauth.principal import Principal
from toolroster.agents import export
from toolroster.agents.llm import Usage
from toolroster.agents.session import (
    Member,
    MessageSaid,
    Session,
    SessionEnded,
    SessionStarted,
    ToolCalled,
)
from toolroster.agents.tool_loop import CallMade
from toolroster.errors import DocumentInvalid, Fault

_MOST_DIGITS = 18


@dataclass(frozen=True)
class DatabaseLog:
    """A `SessionLog` whose sessions are rows of one application; None is nobody in particular.

    `schemas` gives what may be said of a tool's values by its name, see `session_calls`. After each event
    the connection is given back: a model thinks in between.
    """

    application_id: int | None = None
    schemas: Callable[[str], Sequence[session_calls.Schemas]] = session_calls.of_registry
    _rows: dict[str, int] = field(default_factory=dict, repr=False)

    def started(self, event: SessionStarted) -> None:
        """See `SessionLog`."""
        row = AgentSession.objects.create(
            session_id=event.session_id,
            application_id=self.application_id,
            topic=storable(event.topic),
            model=storable(event.model)[:300],
            members=storable([_member(one) for one in event.members]),
            turn_order=list(event.turn_order),
            started_at=event.started_at,
        )
        self._rows[event.session_id] = row.pk
        let_go()

    def message(self, event: MessageSaid) -> None:
        """See `SessionLog`."""
        tokens = count(event.usage.prompt_tokens), count(event.usage.completion_tokens)
        with transaction.atomic():
            SessionMessage.objects.create(
                session_id=self._rows[event.session_id],
                turn_id=event.turn_id,
                agent=event.agent,
                message=storable(event.message),
                prompt_tokens=tokens[0],
                completion_tokens=tokens[1],
            )
            self._update(event.session_id, turns=F("turns") + 1, total_tokens=F("total_tokens") + sum(tokens))
        let_go()

    def call(self, event: ToolCalled) -> None:
        """See `SessionLog`."""
        kept = session_calls.recordable(event.call, self.schemas(event.call.tool))
        with transaction.atomic():
            SessionCall.objects.create(
                session_id=self._rows[event.session_id],
                turn_id=event.turn_id,
                agent=event.agent,
                tool=storable(kept.tool)[:200],
                tool_id=storable(kept.tool_id)[:400],
                arguments=storable(kept.params),
                params_hash=session_calls.hash_of(event.call, kept),
                told=storable(kept.told),
                error_code=kept.error_code,
                duration_ms=kept.duration_ms,
            )
            self._update(event.session_id, call_count=F("call_count") + 1)
        let_go()

    def ended(self, event: SessionEnded) -> None:
        """See `SessionLog`."""
        self._update(
            event.session_id,
            ended_at=event.ended_at,
            failure=storable(event.failure),
            summary=storable(event.summary),
            statistics=storable(dict(event.statistics)),
        )
        let_go()

    def break_off(self, session_id: str, failure: str, *, now: datetime) -> None:
        """Say why a session goes on no more; nothing of one that has ended or never began."""
        begun = AgentSession.objects.filter(pk=self._rows.get(session_id, 0), ended_at=None)
        begun.update(ended_at=now, failure=storable(failure))

    def _update(self, session_id: str, **values: Any) -> None:
        AgentSession.objects.filter(pk=self._rows[session_id]).update(**values)


@dataclass(frozen=True, slots=True)
class Page:
    """Sessions, the newest first, and the cursor of the next page, None on the last one."""

    sessions: list[AgentSession]
    next: str | None


def page(*, principal: Principal, limit: int, cursor: str | None) -> Page:
    """Return one page of the sessions that a principal may read.

    Raises:
        DocumentInvalid: the cursor is none that was handed out.
    """
    found = AgentSession.objects.visible_to(principal)
    if cursor is not None:
        found = found.filter(pk__lt=_place(cursor))
    rows = list(found.defer("summary", "statistics").order_by("-pk")[: limit + 1])
    return Page(rows[:limit], str(rows[limit - 1].pk) if len(rows) > limit else None)


def _place(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= _MOST_DIGITS):
        fault = Fault("/cursor", "cursor_invalid", "Send `next` of the page before as it is.")
        raise DocumentInvalid("The cursor is none that was handed out.", errors=[fault])
    return int(cursor)


def get(session_id: str, *, principal: Principal) -> AgentSession:
    """Return a session that a principal may read.

    Raises:
        AgentSession.DoesNotExist: there is none.
    """
    return AgentSession.objects.visible_to(principal).get(session_id=session_id)


def as_json(row: AgentSession) -> dict[str, Any]:
    """Return a session as it is exported for programs."""
    calls = list(row.calls.order_by("pk"))
    said = export.as_json(_session(row, calls))
    hashes = [{"params_hash": call.params_hash} for call in calls]
    return {**said, "calls": [one | more for one, more in zip(said["calls"], hashes, strict=True)]}


def as_markdown(row: AgentSession) -> str:
    """Return a session as it is exported for people."""
    return export.as_markdown(_session(row, row.calls.order_by("pk")))


def _session(row: AgentSession, calls: Iterable[SessionCall]) -> Session:
    return Session(
        _start(row),
        [_said(row, one) for one in row.messages.order_by("pk")],
        [_called(row, one) for one in calls],
        _end(row),
    )


def _start(row: AgentSession) -> SessionStarted:
    members = tuple(
        Member(one["name"], one["role"], tuple(one["oauth_scopes"]), tuple(one["tools"]))
        for one in row.members
    )
    about = (row.session_id, row.topic, row.model, members, row.started_at)
    return SessionStarted(*about, turn_order=tuple(row.turn_order))


def _said(row: AgentSession, one: SessionMessage) -> MessageSaid:
    usage = Usage(one.prompt_tokens, one.completion_tokens)
    return MessageSaid(row.session_id, one.turn_id, one.agent, one.message, usage)


def _called(row: AgentSession, one: SessionCall) -> ToolCalled:
    said = (one.tool, one.arguments, one.told, one.tool_id, one.error_code, one.duration_ms)
    return ToolCalled(row.session_id, one.turn_id, one.agent, CallMade(*said))


def _end(row: AgentSession) -> SessionEnded | None:
    if row.ended_at is None:
        return None
    return SessionEnded(row.session_id, row.summary, row.failure, row.statistics, row.ended_at)


def _member(member: Member) -> dict[str, Any]:
    return {
        "name": member.name,
        "role": member.role,
        "oauth_scopes": list(member.oauth_scopes),
        "tools": list(member.tools),
    }


def forget(*, before: datetime) -> int:
    """Forget sessions that began before a moment, with all that was said in them; return how many."""
    return AgentSession.objects.filter(started_at__lt=before).delete()[1].get(AgentSession._meta.label, 0)  # noqa: SLF001 - Django's documented name
