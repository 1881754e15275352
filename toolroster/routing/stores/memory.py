"""Breakers, limits and slots of this process."""

import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Sequence

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from toolroster.routing.breaker import Admission, Breaker, BreakerRules, Outcome, Refusal, State
from toolroster.routing.stores import Slot

MOST_BREAKERS = 100_000
"""Beyond, the ones that were not asked for the longest time are forgotten, and so closed."""


class MemoryStore:
    """A `Store` in this process, for threads and tasks alike; `ticks` is a clock in seconds."""

    def __init__(self, *, ticks: Callable[[], float] = time.monotonic) -> None:
        self._ticks = ticks
        self._lock = threading.Lock()
        self._breakers: OrderedDict[str, Breaker] = OrderedDict()
        self._slots: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    async def admit(self, keys: Sequence[str], rules: BreakerRules) -> Admission | Refusal:
        """See `Store`."""
        now = self._ticks()
        soonest = float("inf")
        with self._lock:
            for key in keys:
                breaker = self._breakers.get(key)
                told = breaker.admit(key, rules, now) if breaker else Admission(key)
                if isinstance(told, Admission):
                    return told
                soonest = min(soonest, told.retry_after_seconds)
        return Refusal(soonest)

    async def report(
        self, admission: Admission, outcome: Outcome, rules: BreakerRules, times: int = 1
    ) -> State | None:
        """See `Store`."""
        with self._lock:
            breaker = self._breakers.setdefault(admission.key, Breaker())
            self._breakers.move_to_end(admission.key)
            if len(self._breakers) > MOST_BREAKERS:
                self._breakers.popitem(last=False)
            return breaker.report(admission.probe, outcome, rules, self._ticks(), times)

    async def states(self, keys: Sequence[str]) -> list[State]:
        """See `Store`."""
        with self._lock:
            return [self._breakers[key].state if key in self._breakers else State.CLOSED for key in keys]

    async def hit(self, key: str, per_minute: int, cost: int = 1) -> float:
        """See `Store`."""
        limit = RateLimitItemPerMinute(per_minute)
        if self._limiter.hit(limit, key, cost=cost):
            return 0.0
        return max(0.05, self._limiter.get_window_stats(limit, key).reset_time - time.time())

    async def enter(self, slot: Slot) -> bool:
        """See `Store`."""
        now = self._ticks()
        with self._lock:
            held = self._slots[slot.tool]
            for holder in [one for one, until in held.items() if until <= now]:
                del held[holder]
            if len(held) >= slot.most:
                return False
            held[slot.holder] = now + slot.seconds
            return True

    async def leave(self, slot: Slot) -> None:
        """See `Store`."""
        with self._lock:
            held = self._slots[slot.tool]
            held.pop(slot.holder, None)
            if not held:
                del self._slots[slot.tool]
