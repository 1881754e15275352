"""What agents remember of a session: the last messages as they were, what is older as a summary."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from toolroster.agents.compression import ExtractiveSummarizer, Statement, Summarizer

RECENT = 6
"""Messages that are kept as they were said."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One message in an agent's memory."""

    agent_id: str
    turn_id: int
    message: str = field(repr=False)
    session_id: str


@dataclass(frozen=True, slots=True)
class CompressedMemory:
    """The memory of one agent: `summary` is of the messages before `recent`, "" without any."""

    summary: str
    recent: tuple[Remembered, ...]
    total: int

    def __str__(self) -> str:
        """Return it as a model reads it."""
        lines = [f"[{one.turn_id}] {one.agent_id}: {one.message}" for one in self.recent]
        return "\n".join([*([self.summary] if self.summary else []), *lines])


class MemoryClient(Protocol):
    """The memory service of seeds/000, wherever it is."""

    def store_memory(self, agent_id: str, turn_id: int, message: str, session_id: str) -> None:
        """Keep what an agent said; the same turn of an agent again replaces it."""

    def get_compressed_memory(self, agent_id: str, session_id: str) -> CompressedMemory:
        """Return what an agent said in a session."""


class Memory:
    """A memory in this process; `recent` messages stay as they are, `summarizer` shortens the older ones."""

    def __init__(self, *, recent: int = RECENT, summarizer: Summarizer | None = None) -> None:
        self._recent = recent
        self._summarizer = summarizer or ExtractiveSummarizer()
        self._lock = threading.Lock()
        self._kept: dict[str, dict[tuple[int, str], Remembered]] = {}
        self._summaries: dict[tuple[str, str], tuple[tuple[Remembered, ...], str]] = {}

    def store_memory(self, agent_id: str, turn_id: int, message: str, session_id: str) -> None:
        """Keep what an agent said; the same turn of an agent again replaces it."""
        one = Remembered(agent_id, turn_id, message, session_id)
        with self._lock:
            self._kept.setdefault(session_id, {})[turn_id, agent_id] = one

    def get_compressed_memory(self, agent_id: str, session_id: str) -> CompressedMemory:
        """Return what an agent said in a session, by turn."""
        with self._lock:
            kept = sorted(self._kept.get(session_id, {}).items())
        said = [one for _, one in kept if one.agent_id == agent_id]
        start = max(0, len(said) - self._recent)
        summary = self._summary(agent_id, session_id, said[:start])
        return CompressedMemory(summary, tuple(said[start:]), len(said))

    def forget(self, session_id: str) -> None:
        """Drop the memory of a session."""
        with self._lock:
            self._kept.pop(session_id, None)
            for key in [key for key in self._summaries if key[0] == session_id]:
                del self._summaries[key]

    def _summary(self, agent_id: str, session_id: str, older: Sequence[Remembered]) -> str:
        """Summarize, unless that was done before; outside the lock, as a model may take minutes."""
        covered, summary = self._summaries.get((session_id, agent_id), ((), ""))
        if covered == tuple(older):
            return summary
        summary = self._summarizer.summarize([Statement(one.agent_id, one.message) for one in older])
        with self._lock:
            self._summaries[session_id, agent_id] = tuple(older), summary
        return summary
