"""What a process need not ask the shared store for at each call.

A breaker that was closed is taken for closed for a tenth of a second, and good calls are told to it with the
next failure, or some of them at once: they matter only as what failures are a share of. So a breaker that
opens elsewhere is seen a tenth of a second late, and a call costs one trip to Valkey instead of three.
"""

import asyncio
import time
from collections.abc import Callable, Sequence

from toolroster.cache import Cache
from toolroster.routing.breaker import Admission, BreakerRules, Outcome, Refusal, State
from toolroster.routing.stores import Slot, Store

FRESH_SECONDS = 0.1
MOST_UNTOLD = 50
"""Good calls of an instance that are told at once."""
MOST_AT_ONCE = 100
"""Calls that are counted at once, at most one in `_SHARE` of a minute's: so many may be counted in vain."""
_SHARE = 200
_MINUTE = 60.0
_MOST_KEYS = 100_000


class Near:
    """A `Store` before one that is far away; it belongs to one event loop."""

    def __init__(self, far: Store, *, ticks: Callable[[], float] = time.monotonic) -> None:
        self._far = far
        self._ticks = ticks
        self._closed: Cache[bool] = Cache(_MOST_KEYS)
        self._untold: Cache[list[int]] = Cache(_MOST_KEYS)
        self._counted: Cache[list[int]] = Cache(_MOST_KEYS)
        self._counting: dict[str, asyncio.Task[float]] = {}

    async def admit(self, keys: Sequence[str], rules: BreakerRules) -> Admission | Refusal:
        """See `Store`."""
        now = self._ticks()
        if keys and self._closed.get(keys[0], now=now):
            return Admission(keys[0])
        told = await self._far.admit(keys, rules)
        if isinstance(told, Admission) and not told.probe:
            self._closed.put(told.key, value=True, until=now + FRESH_SECONDS)
        return told

    async def report(
        self, admission: Admission, outcome: Outcome, rules: BreakerRules, times: int = 1
    ) -> State | None:
        """See `Store`. Good calls that were never told are forgotten with the window that they were in."""
        key = admission.key
        if outcome is Outcome.OK and not admission.probe:
            good = self._good(key, rules, times)
            if good < MOST_UNTOLD:
                return None
            return await self._far.report(admission, outcome, rules, self._told(key))
        if good := self._told(key):
            await self._far.report(Admission(key), Outcome.OK, rules, good)
        state = await self._far.report(admission, outcome, rules, times)
        if state is not None:
            self._closed.put(key, value=False, until=self._ticks())
        return state

    def _good(self, key: str, rules: BreakerRules, times: int) -> int:
        now = self._ticks()
        known = self._untold.get(key, now=now)
        if known is None:
            known = [0]
            self._untold.put(key, known, until=now + rules.window_seconds)
        known[0] += times
        return known[0]

    def _told(self, key: str) -> int:
        """Return how many good calls were not told, and count from 0 again."""
        known = self._untold.get(key, now=self._ticks())
        if known is None:
            return 0
        good, known[0] = known[0], 0
        return good

    async def states(self, keys: Sequence[str]) -> list[State]:
        """See `Store`."""
        return await self._far.states(keys)

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """See `Store`. Of a large limit some calls are counted at once, by one of those who wait for it."""
        many = min(per_minute // _SHARE, MOST_AT_ONCE)
        if many <= cost:
            return await self._far.hit(key, per_minute, cost)
        named = f"{key}|{per_minute}"
        while not self._is_counted(named):
            running = self._counting.get(named)
            if running is None:
                return await self._count(named, key, per_minute, many)
            await asyncio.wait([running])
        return 0.0

    def _is_counted(self, named: str) -> bool:
        left = self._counted.get(named, now=self._ticks())
        if not left or not left[0]:
            return False
        left[0] -= 1
        return True

    async def _count(self, named: str, key: str, per_minute: int, many: int) -> float:
        task = asyncio.get_running_loop().create_task(self._counted_far(named, key, per_minute, many))
        self._counting[named] = task
        task.add_done_callback(lambda _: self._counting.pop(named, None))
        return await asyncio.shield(task)

    async def _counted_far(self, named: str, key: str, per_minute: int, many: int) -> float:
        """Count many calls, one of them for who asks; where there is no room for many, one alone."""
        if await self._far.hit(key, per_minute, many):
            return await self._far.hit(key, per_minute, 1)
        self._counted.put(named, [many - 1], until=self._ticks() + _MINUTE)
        return 0.0

    async def enter(self, slot: Slot) -> bool:
        """See `Store`."""
        return await self._far.enter(slot)

    async def leave(self, slot: Slot) -> None:
        """See `Store`."""
        await self._far.leave(slot)
