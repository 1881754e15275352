"""Where breakers, limits and slots are kept: in this process, or in Valkey for all of them together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from toolroster.routing.breaker import Admission, BreakerRules, Outcome, Refusal, State


class StoreUnavailable(Exception):
    """The store does not answer; `failover.Failover` goes on with one in this process."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place among the calls of a tool that run at once; None held means that there was none left."""

    tool: str
    holder: str
    most: int
    seconds: float
    """After which it is free again, whatever became of its holder."""


class Store(Protocol):
    """What routers share. Every method is one step: others come before or after it, never between."""

    async def admit(self, keys: Sequence[str], rules: BreakerRules) -> Admission | Refusal:
        """Return the first breaker that lets a call pass; else when the first of them may."""

    async def report(
        self, admission: Admission, outcome: Outcome, rules: BreakerRules, times: int = 1
    ) -> State | None:
        """Tell a breaker what became of `times` calls; return the state that led to, None for none."""

    async def states(self, keys: Sequence[str]) -> list[State]:
        """Return how breakers are."""

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """Count `cost` calls; return 0, or in how many seconds there may be room: none was counted then."""

    async def enter(self, slot: Slot) -> bool:
        """Take a slot; return whether there was one."""

    async def leave(self, slot: Slot) -> None:
        """Give a slot back."""
