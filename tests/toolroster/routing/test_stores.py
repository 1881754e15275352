"""Breakers, limits and slots: in this process and in Valkey they are the same."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from toolroster.routing.breaker import Admission, BreakerRules, Outcome, Refusal, State
from toolroster.routing.stores import Slot, Store
from toolroster.routing.stores.failover import Failover
from toolroster.routing.stores.memory import MemoryStore
from toolroster.routing.stores.near import MOST_UNTOLD, Near
from toolroster.routing.stores.valkey import ValkeyStore

RULES = BreakerRules(least_calls=4, window_seconds=10, buckets=5, open_seconds=4, longest_open_seconds=20)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def _valkey(clock: Clock | None = None) -> ValkeyStore:
    return ValkeyStore(settings.REDIS_URL, prefix=f"tr:test:{uuid.uuid4().hex}", now=clock)


def _in(store: Callable[[], Any], story: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        made = store()
        try:
            return await story(made)
        finally:
            if isinstance(made, ValkeyStore):
                await made.close()

    return asyncio.run(run())


def _near() -> Near:
    return Near(MemoryStore())


both = pytest.mark.parametrize("store", [MemoryStore, _valkey, _near], ids=["memory", "valkey", "near"])

steps = st.lists(
    st.tuples(
        st.sampled_from(["call", "call", "call", "late", "lost"]),
        st.sampled_from(list(Outcome)),
        st.integers(0, 3),
    ),
    max_size=40,
)


@how(max_examples=60, deadline=None)
@given(steps)
def test_both_stores_say_the_same_of_every_history(history: list[tuple[str, Outcome, int]]) -> None:
    async def run() -> None:
        clock = Clock()
        shared, own = _valkey(clock), MemoryStore(ticks=clock)
        late: list[Admission] = []
        try:
            for kind, outcome, seconds in history:
                clock.now += seconds
                told = await own.admit(["a|1"], RULES)
                assert _rounded(await shared.admit(["a|1"], RULES)) == _rounded(told)
                if kind == "late" and late:
                    told = late.pop()
                elif isinstance(told, Admission) and kind == "lost":
                    late.append(told)
                    continue
                if isinstance(told, Admission):
                    state = await own.report(told, outcome, RULES)
                    assert await shared.report(told, outcome, RULES) == state
                assert await shared.states(["a|1"]) == await own.states(["a|1"])
        finally:
            await shared.close()

    asyncio.run(run())


def _rounded(told: Admission | Refusal) -> Any:
    return told if isinstance(told, Admission) else round(told.retry_after_seconds, 3)


async def _report(store: Store, *outcomes: Outcome) -> list[State | None]:
    return [await store.report(Admission("a|1"), outcome, RULES) for outcome in outcomes]


@both
def test_a_breaker_opens_when_half_of_the_calls_fail(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        told = await _report(made, Outcome.OK, Outcome.OK, Outcome.FAILED, Outcome.FAILED)
        assert told == [None, None, None, State.OPEN]
        assert isinstance(await made.admit(["a|1"], RULES), Refusal)

    _in(store, story)


@both
def test_a_few_failures_open_nothing(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        await _report(made, Outcome.FAILED, Outcome.FAILED, Outcome.FAILED)
        assert await made.admit(["a|1"], RULES) == Admission("a|1")

    _in(store, story)


@both
def test_slow_calls_open_a_breaker_as_well(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        assert (await _report(made, *[Outcome.SLOW] * 4))[-1] is State.OPEN

    _in(store, story)


@both
def test_another_instance_is_taken_when_one_is_open(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        await _report(made, *[Outcome.FAILED] * 4)
        assert await made.admit(["a|1", "a|2"], RULES) == Admission("a|2")

    _in(store, story)


@both
def test_of_many_at_once_only_the_probes_pass(store: Callable[[], Store]) -> None:
    rules = BreakerRules(least_calls=1, open_seconds=0.01, probes=3)

    async def story(made: Store) -> None:
        await made.report(Admission("a|1"), Outcome.FAILED, rules)
        await asyncio.sleep(0.03)
        told = await asyncio.gather(*(made.admit(["a|1"], rules) for _ in range(50)))
        assert sum(isinstance(one, Admission) for one in told) == 3

    _in(store, story)


@both
def test_a_limit_holds_for_many_at_once(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        waits = await asyncio.gather(*(made.hit("tool|agent", 20) for _ in range(60)))
        assert waits.count(0.0) == 20
        assert all(0 < wait <= 60 for wait in waits if wait)
        assert await made.hit("tool|another", 20) == 0.0

    _in(store, story)


@both
def test_no_more_slots_are_held_than_there_are(store: Callable[[], Store]) -> None:
    slots = [Slot("tool", f"call-{n}", 5, 30.0) for n in range(40)]

    async def story(made: Store) -> None:
        held = await asyncio.gather(*(made.enter(slot) for slot in slots))
        assert sum(held) == 5
        await made.leave(slots[held.index(True)])
        assert await made.enter(slots[held.index(False)])
        assert not await made.enter(Slot("tool", "one-more", 5, 30.0))

    _in(store, story)


@both
def test_a_slot_whose_holder_died_is_free_again(store: Callable[[], Store]) -> None:
    async def story(made: Store) -> None:
        assert await made.enter(Slot("tool", "dead", 1, 0.02))
        await asyncio.sleep(0.05)
        assert await made.enter(Slot("tool", "alive", 1, 30.0))

    _in(store, story)


def test_two_processes_share_a_breaker() -> None:
    async def run() -> None:
        prefix = f"tr:test:{uuid.uuid4().hex}"
        one, other = (ValkeyStore(settings.REDIS_URL, prefix=prefix) for _ in range(2))
        await _report(one, *[Outcome.FAILED] * 4)
        assert isinstance(await other.admit(["a|1"], RULES), Refusal)
        await one.close()
        await other.close()

    asyncio.run(run())


def test_without_valkey_limits_are_this_process_s_own() -> None:
    async def run() -> None:
        clock = Clock()
        down = ValkeyStore("redis://127.0.0.1:9/0", seconds=0.2)
        store = Failover(down, ticks=clock)
        assert [await store.hit("tool|agent", 2) == 0.0 for _ in range(3)] == [True, True, False]
        assert store.failures == 1  # it is not asked again for each call
        await _report(store, *[Outcome.FAILED] * 4)
        assert isinstance(await store.admit(["a|1"], RULES), Refusal)
        await down.close()

    asyncio.run(run())


def test_a_good_call_asks_the_far_store_nothing_for_a_while() -> None:
    far, clock = _Counting(), Clock()
    near = Near(far, ticks=clock)

    async def run() -> None:
        for _ in range(MOST_UNTOLD - 1):
            told = await near.admit(["a|1"], RULES)
            assert isinstance(told, Admission)
            await near.report(told, Outcome.OK, RULES)
        assert (far.admitted, far.reported) == (1, 0)
        clock.now += 0.2
        await near.admit(["a|1"], RULES)
        assert far.admitted == 2

    asyncio.run(run())


def test_a_failure_is_told_with_the_good_calls_before_it() -> None:
    near = _near()

    async def run() -> None:
        for _ in range(10):
            await near.report(Admission("a|1"), Outcome.OK, RULES)
        told = [await near.report(Admission("a|1"), Outcome.FAILED, RULES) for _ in range(10)]
        assert told == [None] * 9 + [State.OPEN]

    asyncio.run(run())


def test_an_instance_that_fails_is_refused_at_once_in_its_own_process() -> None:
    near = _near()

    async def run() -> None:
        await near.admit(["a|1"], RULES)
        await _report(near, *[Outcome.FAILED] * 4)
        assert isinstance(await near.admit(["a|1"], RULES), Refusal)

    asyncio.run(run())


class _Counting(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.admitted = self.reported = 0

    async def admit(self, *about: Any) -> Any:
        self.admitted += 1
        return await super().admit(*about)

    async def report(self, *about: Any) -> Any:
        self.reported += 1
        return await super().report(*about)

    async def hit(self, *about: Any) -> float:
        await asyncio.sleep(0.001)  # as far away as a server
        return await super().hit(*about)


@pytest.mark.parametrize("limit", [20, 400, 1000])
def test_calls_that_are_counted_at_once_are_never_more_than_the_limit(limit: int) -> None:
    near = Near(_Counting())

    async def run() -> None:
        waits = await asyncio.gather(*(near.hit("tool|agent", limit) for _ in range(limit + 50)))
        assert waits.count(0.0) == limit

    asyncio.run(run())


def test_good_calls_of_long_ago_do_not_keep_a_breaker_closed() -> None:
    clock = Clock()
    near = Near(MemoryStore(ticks=clock), ticks=clock)

    async def run() -> None:
        for _ in range(MOST_UNTOLD - 1):
            await near.report(Admission("a|1"), Outcome.OK, RULES)
        clock.now += 3600
        assert (await _report(near, *[Outcome.FAILED] * 4))[-1] is State.OPEN

    asyncio.run(run())
