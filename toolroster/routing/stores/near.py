"""What a process need not ask the shared store for at each call.

A breaker that was closed is taken for closed for a tenth of a second, and good calls are told to it with the
next failure, or some of them at once: they matter only as what failures are a share of. So a breaker that
opens elsewhere is seen a tenth of a second late, and a call costs one trip to Valkey instead of three.
"""

import time
from collections import Counter
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
_MOST_KEYS = 100_000


class Near:
    """A `Store` before one that is far away."""

    def __init__(self, far: Store, *, ticks: Callable[[], float] = time.monotonic) -> None:
        self._far = far
        self._ticks = ticks
        self._closed: Cache[bool] = Cache(_MOST_KEYS)
        self._untold: Counter[str] = Counter()
        self._counted: Cache[list[None]] = Cache(_MOST_KEYS)

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
        """See `Store`."""
        key = admission.key
        if outcome is Outcome.OK and not admission.probe:
            self._untold[key] += times
            if self._untold[key] < MOST_UNTOLD:
                return None
            return await self._far.report(admission, outcome, rules, self._untold.pop(key, 0))
        if good := self._untold.pop(key, 0):
            await self._far.report(Admission(key), Outcome.OK, rules, good)
        state = await self._far.report(admission, outcome, rules, times)
        if state is not None:
            self._closed.put(key, value=False, until=self._ticks())
        return state

    async def states(self, keys: Sequence[str]) -> list[State]:
        """See `Store`."""
        return await self._far.states(keys)

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """See `Store`. Of a large limit some calls are counted at once, for the next second."""
        many = min(per_minute // _SHARE, MOST_AT_ONCE)
        if many < 2 or cost > 1:
            return await self._far.hit(key, per_minute, cost)
        left = self._counted.get(key, now=self._ticks())
        if left:
            left.pop()
            return 0.0
        if await self._far.hit(key, per_minute, many):
            return await self._far.hit(key, per_minute)
        self._counted.put(key, [None] * (many - 1), until=self._ticks() + 1.0)
        return 0.0

    async def enter(self, slot: Slot) -> bool:
        """See `Store`."""
        return await self._far.enter(slot)

    async def leave(self, slot: Slot) -> None:
        """See `Store`."""
        await self._far.leave(slot)
