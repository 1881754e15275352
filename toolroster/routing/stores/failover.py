"""A shared store that may be down, with one in this process for that time.

Fails over, never closed and never open: while Valkey is down, each process has breakers, limits and slots of
its own, so that `n` processes let through up to `n` times a limit. A tool is guarded less, and agents go on.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from toolroster.routing.breaker import Admission, BreakerRules, Outcome, Refusal, State
from toolroster.routing.stores import Slot, Store, StoreUnavailable
from toolroster.routing.stores.memory import MemoryStore

logger = logging.getLogger("toolroster.routing")

T = TypeVar("T")

REST_SECONDS = 2.0
"""How long the shared store is left alone after it failed: else each call waits for it again."""


class Failover:
    """A `Store` that is `shared` while that answers, and this process's own while not."""

    def __init__(self, shared: Store, *, ticks: Callable[[], float] = time.monotonic) -> None:
        self._shared = shared
        self._own = MemoryStore(ticks=ticks)
        self._ticks = ticks
        self._rests_until = float("-inf")
        self.failures = 0

    async def admit(self, keys: Sequence[str], rules: BreakerRules) -> Admission | Refusal:
        """See `Store`."""
        return await self._of(lambda store: store.admit(keys, rules))

    async def report(
        self, admission: Admission, outcome: Outcome, rules: BreakerRules, times: int = 1
    ) -> State | None:
        """See `Store`."""
        return await self._of(lambda store: store.report(admission, outcome, rules, times))

    async def states(self, keys: Sequence[str]) -> list[State]:
        """See `Store`."""
        return await self._of(lambda store: store.states(keys))

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """See `Store`."""
        return await self._of(lambda store: store.hit(key, per_minute, cost))

    async def enter(self, slot: Slot) -> bool:
        """See `Store`."""
        return await self._of(lambda store: store.enter(slot))

    async def leave(self, slot: Slot) -> None:
        """See `Store`."""
        return await self._of(lambda store: store.leave(slot))

    async def _of(self, ask: Callable[[Store], Awaitable[T]]) -> T:
        if self._ticks() >= self._rests_until:
            try:
                return await ask(self._shared)
            except StoreUnavailable as error:
                self.failures += 1
                self._rests_until = self._ticks() + REST_SECONDS
                logger.warning("breakers and limits are this process's own: %s", error)
        return await ask(self._own)
