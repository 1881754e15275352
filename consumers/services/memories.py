"""What agents remember, in rows: stored turn by turn, read back with what is older as a summary."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Q

from consumers.models import AgentMemory, MemorySummary
from consumers.models.memory import AgentMemoryQuerySet
from consumers.services.storing import let_go, storable
from oauth.principal import Principal
from toolroster.agents.compression import ExtractiveSummarizer, Statement, Summarizer
from toolroster.agents.memory import RECENT, CompressedMemory, Remembered
from toolroster.errors import Conflict

MOST_OF_SESSION = 10_000
"""Messages that are kept of one session of one client."""
_MOST_SUMMARIZED = 1000
"""Of the older messages, the last ones: more would not fit into a summary anyway."""
_MOST_AT_ONCE = 2
_asking = threading.BoundedSemaphore(_MOST_AT_ONCE)
"""Who may wait for a model, so that threads of a web process stay free; others get an extractive summary."""


@transaction.atomic
def store(
    *, agent_id: str, turn_id: int, message: str, session_id: str, principal: Principal, now: datetime
) -> None:
    """Keep what an agent said; the same turn again replaces it, by another row.

    Of two that store one turn at once, either may be the one that stays.

    Raises:
        Conflict: the session holds as much as is kept of one.
    """
    row = AgentMemory(
        application_id=principal.application_id,
        user_id=principal.user_id,
        session_id=storable(session_id),
        agent_id=storable(agent_id),
        turn_id=turn_id,
        message=storable(message),
        stored_at=now,
    )
    turn = {"session_id": row.session_id, "agent_id": row.agent_id, "turn_id": turn_id}
    mine = AgentMemory.objects.of(principal)
    mine.filter(**turn).delete()
    if mine.filter(session_id=row.session_id)[:MOST_OF_SESSION].count() == MOST_OF_SESSION:
        raise Conflict(f"A session keeps {MOST_OF_SESSION} messages of its agents; begin another one.")
    AgentMemory.objects.bulk_create([row], ignore_conflicts=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads, how many messages as they were said, and who summarizes what is older."""

    principal: Principal
    recent: int = RECENT
    summarizer: Summarizer = field(default_factory=ExtractiveSummarizer)


def compressed(reading: Reading, *, agent_id: str, session_id: str, now: datetime) -> CompressedMemory:
    """Return what an agent of the principal said in a session."""
    mine = AgentMemory.objects.of(reading.principal)
    said = mine.filter(session_id=session_id, agent_id=agent_id)
    newest = list(said.order_by("-turn_id", "-pk")[: reading.recent])
    if not newest:
        return CompressedMemory("", (), 0)
    first = newest[-1]
    older = said.filter(Q(turn_id__lt=first.turn_id) | Q(turn_id=first.turn_id, pk__lt=first.pk))
    mark = older.aggregate(count=Count("pk"), last_id=Max("pk"))
    key = {
        "application_id": reading.principal.application_id,
        "user_id": reading.principal.user_id,
        "session_id": session_id,
        "agent_id": agent_id,
    }
    row = MemorySummary(**key, **mark, made_at=now) if mark["count"] else None
    summary = _summary(row, older, reading.summarizer) if row else ""
    recent = [Remembered(one.agent_id, one.turn_id, one.message, one.session_id) for one in newest[::-1]]
    return CompressedMemory(summary, tuple(recent), mark["count"] + len(newest))


def _summary(row: MemorySummary, older: AgentMemoryQuerySet, summarizer: Summarizer) -> str:
    """Return the kept summary of the same rows, else make one and keep it: also one made without the model.

    A model that is away would else be waited for at each reading; the next turn asks it again.
    """
    same = MemorySummary.objects.filter(
        application=row.application_id,
        user_id=row.user_id,
        session_id=row.session_id,
        agent_id=row.agent_id,
    )
    kept = same.filter(last_id=row.last_id, count=row.count).first()
    if kept is not None:
        return kept.summary
    latest = older.order_by("-turn_id", "-pk").values_list("agent_id", "message")[:_MOST_SUMMARIZED]
    statements = [Statement(*one) for one in latest][::-1]
    let_go()
    row.summary = storable(_summarized(statements, summarizer))
    MemorySummary.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["application", "user_id", "session_id", "agent_id"],
        update_fields=["last_id", "count", "summary", "made_at"],
    )
    return row.summary


def _summarized(statements: list[Statement], summarizer: Summarizer) -> str:
    if not _asking.acquire(blocking=False):
        return ExtractiveSummarizer().summarize(statements)
    try:
        return summarizer.summarize(statements)
    finally:
        _asking.release()


@dataclass(frozen=True, slots=True)
class DatabaseMemory:
    """A `MemoryClient` in the platform's own process, without HTTP; see `toolroster.agents.memory`."""

    reading: Reading
    clock: Callable[[], datetime]

    def store_memory(self, agent_id: str, turn_id: int, message: str, session_id: str) -> None:
        """See `MemoryClient`."""
        store(
            agent_id=agent_id,
            turn_id=turn_id,
            message=message,
            session_id=session_id,
            principal=self.reading.principal,
            now=self.clock(),
        )
        let_go()

    def get_compressed_memory(self, agent_id: str, session_id: str) -> CompressedMemory:
        """See `MemoryClient`."""
        found = compressed(self.reading, agent_id=agent_id, session_id=session_id, now=self.clock())
        let_go()
        return found


def forget(*, before: datetime) -> int:
    """Forget what was stored before a moment, and its summaries; return how many messages."""
    MemorySummary.objects.filter(made_at__lt=before).delete()
    return AgentMemory.objects.filter(stored_at__lt=before).delete()[0]
