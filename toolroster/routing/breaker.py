"""The circuit breaker of one instance of one tool, as a state machine without I/O and without a clock.

    CLOSED     every call passes; when too many of a window failed or were slow ──▶ OPEN
    OPEN       no call passes; after a wait that doubles each time ──▶ HALF_OPEN
    HALF_OPEN  a few probes pass: all of them well ──▶ CLOSED, one not ──▶ OPEN

Failure rate, slow-call rate, window and probes are those of Resilience4j (its CircuitBreaker page), which
seeds/004 uses. Published Python breakers count failures in a row, without a rate, slow calls or probes that
several processes share (docs/adr/0015). `stores/valkey.py` says the same in Lua; a test holds them together.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from math import floor


class State(StrEnum):
    """Whether calls pass."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Outcome(StrEnum):
    """What a call says about its instance. What the tool refuses (4xx) is `OK`: the instance works."""

    OK = "OK"
    SLOW = "SLOW"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class BreakerRules:
    """When a breaker opens, and how it closes again. Rates are shares from 0 to 1, times are seconds.

    A window has `buckets` parts, of which the oldest is forgotten as a whole. A probe that nobody reports
    within `probe_seconds` counts as lost, and others may be sent.
    """

    failure_rate: float = 0.5
    slow_rate: float = 0.8
    least_calls: int = 5
    window_seconds: float = 30.0
    buckets: int = 10
    open_seconds: float = 10.0
    longest_open_seconds: float = 300.0
    probes: int = 2
    probe_seconds: float = 30.0

    @property
    def bucket_seconds(self) -> float:
        return self.window_seconds / self.buckets

    def wait_seconds(self, opened: int) -> float:
        """Return how long it stays open, the `opened`th time in a row."""
        return float(min(self.open_seconds * 2 ** min(opened - 1, 30), self.longest_open_seconds))


@dataclass(frozen=True, slots=True)
class Admission:
    """A call that may pass, and by which breaker; `probe` says which opening it probes, 0 for none."""

    key: str
    probe: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """No call may pass before `retry_after_seconds`."""

    retry_after_seconds: float


@dataclass(slots=True)
class _Bucket:
    number: int = -1
    calls: int = 0
    failed: int = 0
    slow: int = 0


@dataclass(slots=True)
class Breaker:
    """The state of one breaker; `now` is in seconds on any clock that does not go back."""

    state: State = State.CLOSED
    opened: int = 0
    """How often it opened in a row."""
    until: float = 0.0
    """OPEN: until when. HALF_OPEN: until when its probes are waited for."""
    sent: int = 0
    good: int = 0
    _buckets: list[_Bucket] = field(default_factory=list)

    def admit(self, key: str, rules: BreakerRules, now: float) -> Admission | Refusal:
        """Let a call pass, or say when to ask again."""
        if self.state is State.CLOSED:
            return Admission(key)
        is_over = now >= self.until
        if self.state is State.OPEN and not is_over:
            return Refusal(self.until - now)
        if is_over:
            self.state, self.sent, self.good = State.HALF_OPEN, 0, 0
            self.until = now + rules.probe_seconds
        if self.sent >= rules.probes:
            return Refusal(self.until - now)
        self.sent += 1
        return Admission(key, self.opened)

    def report(
        self, probe: int, outcome: Outcome, rules: BreakerRules, now: float, times: int = 1
    ) -> State | None:
        """Take what became of `times` calls; return the state that led to, None for none.

        What was admitted before the breaker opened says nothing about how it is now.
        """
        if self.state is State.CLOSED and not probe:
            self._count(outcome, rules, now, times)
            return self._open(rules, now) if self._is_too_much(rules, now) else None
        if self.state is not State.HALF_OPEN or probe != self.opened:
            return None
        if outcome is not Outcome.OK:
            return self._open(rules, now)
        self.good += 1
        if self.good < rules.probes:
            return None
        self.state, self.opened, self._buckets = State.CLOSED, 0, []
        return State.CLOSED

    def _open(self, rules: BreakerRules, now: float) -> State:
        self.opened += 1
        self.state, self._buckets = State.OPEN, []
        self.until = now + rules.wait_seconds(self.opened)
        return State.OPEN

    def _count(self, outcome: Outcome, rules: BreakerRules, now: float, times: int) -> None:
        number = floor(now / rules.bucket_seconds)
        if not self._buckets:
            self._buckets = [_Bucket() for _ in range(rules.buckets)]
        bucket = self._buckets[number % rules.buckets]
        if bucket.number != number:
            bucket.number, bucket.calls, bucket.failed, bucket.slow = number, 0, 0, 0
        bucket.calls += times
        bucket.failed += times * (outcome is Outcome.FAILED)
        bucket.slow += times * (outcome is not Outcome.OK)  # what failed was not fast either

    def _is_too_much(self, rules: BreakerRules, now: float) -> bool:
        oldest = floor(now / rules.bucket_seconds) - rules.buckets
        seen = [one for one in self._buckets if one.number > oldest]
        calls = sum(one.calls for one in seen)
        if calls < rules.least_calls:
            return False
        failed, slow = sum(one.failed for one in seen), sum(one.slow for one in seen)
        return failed >= rules.failure_rate * calls or slow >= rules.slow_rate * calls
