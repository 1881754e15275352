"""Notes of calls, written in batches behind the calls: neither an agent nor a tool waits for them.

A thread writes what was noted, twice a second or when much is there. While the database is down notes wait,
100,000 of them at most; beyond that the oldest go, counted and logged. A process that is killed loses what
it noted since the last write. Neither Valkey nor a worker is needed.
"""

import atexit
import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db import DataError, close_old_connections, connection, transaction

from registry.models import ToolRegistration, ToolUse
from registry.services import failing, usage
from registry.services.usage import Counted
from toolroster.routing.calls import CallRecord
from toolroster.routing.telemetry import count

logger = logging.getLogger(__name__)

MOST_WAITING = 100_000
_BATCH = 500
_PAUSE_SECONDS = 0.5
_GOODBYE_SECONDS = 10.0
SUSPECT_BEYOND_SECONDS = 60.0
"""How long a tool stays suspect after its breaker may let probes pass: somebody has to call first."""

_COLUMNS = {
    "call_id": "uuid",
    "called_at": "timestamptz",
    "application_id": "bigint",
    "user_id": "bigint",
    "agent": "text",
    "session_id": "text",
    "ref": "text",
    "tool_id_asked": "text",
    "tool_id": "text",
    "instance": "text",
    "outcome": "text",
    "error_code": "text",
    "why": "text",
    "attempts": "int",
    "duration_ms": "float8",
    "request_bytes": "bigint",
    "response_bytes": "bigint",
    "params_hash": "text",
    "params": "jsonb",
}
_NAMES = ", ".join(_COLUMNS)
_TYPED = ", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())
# Rows and sums in one statement: a row that is there already is in no sum twice, and sums have one order.
_WRITE = f"""
WITH given AS (
  SELECT {_NAMES} FROM jsonb_to_recordset(%s::jsonb) AS r({_TYPED})
), added AS (
  INSERT INTO consumers_toolcall ({_NAMES}) SELECT {_NAMES} FROM given
  ON CONFLICT DO NOTHING RETURNING *
), named AS (
  SELECT date_trunc('hour', called_at, 'UTC') AS hour,
    coalesce(nullif(tool_id, ''), tool_id_asked) AS named, *
  FROM added
)
INSERT INTO consumers_toolcallusage AS kept (hour, tool_id, provider, name, version, application_id, agent,
    outcome, calls, duration_ms, longest_ms, request_bytes, response_bytes)
SELECT hour, named, split_part(named, ':', 1), split_part(named, ':', 2), split_part(named, ':', 3),
    application_id, agent, outcome, count(*), sum(duration_ms), max(duration_ms), sum(request_bytes),
    sum(response_bytes)
FROM named WHERE named <> ''
GROUP BY hour, named, application_id, agent, outcome
ORDER BY hour, named, application_id, agent, outcome
ON CONFLICT ON CONSTRAINT usage_once DO UPDATE SET
    calls = kept.calls + excluded.calls,
    duration_ms = kept.duration_ms + excluded.duration_ms,
    longest_ms = greatest(kept.longest_ms, excluded.longest_ms),
    request_bytes = kept.request_bytes + excluded.request_bytes,
    response_bytes = kept.response_bytes + excluded.response_bytes
"""  # noqa: S608 - the names are ours


@dataclass(frozen=True, slots=True)
class BreakerNote:
    """That a breaker opened for so many seconds, or closed."""

    tool_id: str
    instance: str
    state: str
    seconds: float
    at: datetime


class CallLog:
    """The recorder of a process; see `toolroster.routing.calls.Recorder`."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._calls: deque[CallRecord] = deque()
        self._breakers: deque[BreakerNote] = deque()
        self._wake = threading.Event()
        self._over = threading.Event()
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self.lost = 0

    def record(self, call: CallRecord) -> None:
        """Note a call."""
        self._calls.append(call)
        if len(self._calls) > MOST_WAITING:
            self._calls.popleft()
            self.lost += 1
        if len(self._calls) >= _BATCH:
            self._wake.set()
        self._start()

    def note_breaker(self, tool_id: str, instance: str, state: str, seconds: float) -> None:
        """Note that a breaker opened, for so many seconds, or closed."""
        self._breakers.append(BreakerNote(tool_id, instance, state, seconds, self._now()))
        self._start()

    def flush(self) -> int:
        """Write what was noted; return how many calls. What cannot be written now is kept for the next time.

        Raises:
            DatabaseError: the database is not there.
        """
        with self._writing:
            written, waiting = 0, len(self._calls)  # what comes meanwhile is for the next time
            while written < waiting:
                batch = self._taken(min(_BATCH, waiting - written))
                try:
                    self._write(batch)
                except BaseException:
                    self._calls.extendleft(reversed(batch))
                    raise
                written += len(batch)
            while self._breakers:
                note_failing(self._breakers[0])
                self._breakers.popleft()
            return written

    def close(self) -> None:
        """Write what is there, and end the thread; the next note starts another one."""
        with self._starting:
            thread, self._thread = self._thread, None
            self._over.set()
            self._wake.set()
            if thread is not None:
                thread.join(_GOODBYE_SECONDS)
            self._over.clear()

    def _write(self, batch: Sequence[CallRecord]) -> None:
        """Write a batch; of one that the database cannot take, all but what it cannot take."""
        try:
            write(batch, now=self._now())
        except (DataError, TypeError, ValueError):
            if len(batch) == 1:
                logger.exception("a call cannot be noted", extra={"call": batch[0].call_id})
                self.lost += 1
                return
            middle = len(batch) // 2
            self._write(batch[:middle])
            self._write(batch[middle:])

    def _taken(self, most: int) -> list[CallRecord]:
        return [self._calls.popleft() for _ in range(min(most, len(self._calls)))]

    def _start(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="call-log", daemon=True)
                self._thread.start()
                atexit.register(self.close)

    def _run(self) -> None:
        while not self._over.is_set():
            self._wake.wait(_PAUSE_SECONDS)
            self._wake.clear()
            self._attempt()
        self._attempt()
        connection.close()

    def _attempt(self) -> None:
        if not (self._calls or self._breakers):
            return
        close_old_connections()
        try:
            self.flush()
        except Exception:  # whatever it is, notes are kept and tried again: the thread must not end
            logger.exception("notes of calls wait for the database")
            connection.close()
            self._over.wait(_PAUSE_SECONDS)
        if self.lost:
            logger.error("notes of calls were dropped", extra={"lost": self.lost})
            count("toolroster.calls.lost", self.lost)
            self.lost = 0


def write(calls: Sequence[CallRecord], *, now: datetime) -> None:
    """Write rows, sums and uses of calls; what was written before is not counted again."""
    text = orjson.dumps([_row(call) for call in calls]).decode()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_WRITE, [text])
    _count_uses([call for call in calls if call.attempts], now)


def note_failing(note: BreakerNote) -> None:
    """Let a tool be suspect while its breaker is open."""
    if note.state == "OPEN":
        until = note.at + timedelta(seconds=note.seconds + SUSPECT_BEYOND_SECONDS)
        failing.suspect(note.tool_id, instance=note.instance, until=until, now=note.at)
    else:
        failing.recovered(note.tool_id, instance=note.instance, now=note.at)


def _row(call: CallRecord) -> dict[str, Any]:
    row = {
        "call_id": call.call_id,
        "called_at": call.called_at.isoformat(),
        "application_id": call.agent_id,
        "user_id": call.user_id,
        "agent": call.agent[:255],
        "session_id": call.session_id[:200],
        "ref": call.ref[:1400],
        "tool_id_asked": call.tool_id_asked,
        "tool_id": call.tool_id,
        "instance": call.instance[:2000],
        "outcome": call.outcome.value,
        "error_code": call.error_code[:80],
        "why": call.why[:1000],
        "attempts": call.attempts,
        "duration_ms": call.duration_ms,
        "request_bytes": call.request_bytes,
        "response_bytes": call.response_bytes,
        "params_hash": call.params_hash,
    }
    plain = {name: _storable(value) if isinstance(value, str) else value for name, value in row.items()}
    return {**plain, "params": call.params}


def _storable(text: str) -> str:
    """Return a text that PostgreSQL takes: without NUL and lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def _count_uses(calls: Sequence[CallRecord], now: datetime) -> None:
    """Count who called which version, for its governance page."""
    counts = Counter((call.tool_id, call.agent_id) for call in calls)
    rows = ToolRegistration.objects.filter(tool_id__in={tool_id for tool_id, _ in counts})
    ids = dict(rows.values_list("tool_id", "pk"))
    usage.write(
        (
            Counted(ToolUse.Kind.INVOKE, ids[tool_id], agent_id, count)
            for (tool_id, agent_id), count in counts.items()
            if tool_id in ids
        ),
        now=now,
    )
