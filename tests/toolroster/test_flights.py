import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.toolroster.oauth.server import PATIENCE_SECONDS
from toolroster.errors import Unavailable
from toolroster.flights import Flights


def test_each_key_has_work_of_its_own():
    flights: Flights[str] = Flights()

    assert [flights.run(key, key.upper) for key in "ab"] == ["A", "B"]


def test_work_that_is_over_is_not_shared():
    flights: Flights[int] = Flights()

    assert [flights.run("", iter([number]).__next__) for number in (1, 2)] == [1, 2]


@pytest.mark.parametrize(
    ("failure", "leader_sees"), [(ValueError("no"), ValueError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
def test_who_waits_shares_the_failure_but_not_an_interrupt(failure, leader_sees):
    flights: Flights[int] = Flights()
    started, may_fail = threading.Event(), threading.Event()

    def work() -> int:
        started.set()
        assert may_fail.wait(PATIENCE_SECONDS)
        raise failure

    def lead() -> type[BaseException]:
        with pytest.raises(leader_sees) as caught:
            flights.run("", work)
        return caught.type

    with ThreadPoolExecutor(1) as pool:
        leader = pool.submit(lead)
        assert started.wait(PATIENCE_SECONDS)
        joined = flights._futures[""]
        may_fail.set()

        assert leader.result(PATIENCE_SECONDS) is leader_sees
        expected = Unavailable if leader_sees is KeyboardInterrupt else leader_sees
        assert type(joined.exception(PATIENCE_SECONDS)) is expected


def test_after_a_failure_the_next_caller_starts_anew():
    flights: Flights[int] = Flights()
    with pytest.raises(StopIteration):
        flights.run("", iter(()).__next__)

    assert flights.run("", lambda: 1) == 1


def test_a_task_that_is_cancelled_leaves_the_work_to_the_others():
    async def story() -> tuple[int, int]:
        flights: Flights[int] = Flights()
        may_end, runs = asyncio.Event(), []

        async def work() -> int:
            runs.append(1)
            await may_end.wait()
            return 7

        first, second = (asyncio.create_task(flights.run_async("", work)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        may_end.set()
        return await second, len(runs)

    assert asyncio.run(story()) == (7, 1)


def test_tasks_share_a_failure_and_the_next_one_starts_anew():
    async def story() -> list[object]:
        flights: Flights[int] = Flights()

        async def fail() -> int:
            raise ValueError

        async def work() -> int:
            return 7

        failed = await asyncio.gather(
            *[flights.run_async("", fail) for _ in range(2)], return_exceptions=True
        )
        return [*map(type, failed), await flights.run_async("", work)]

    assert asyncio.run(story()) == [ValueError, ValueError, 7]


def test_a_loop_that_ended_amid_the_work_leaves_nothing_to_wait_for():
    flights: Flights[int] = Flights()

    async def never() -> int:
        return await asyncio.Event().wait()

    async def give_up() -> None:
        task = asyncio.create_task(flights.run_async("", never))
        await asyncio.sleep(0)
        task.cancel()

    async def work() -> int:
        return 7

    asyncio.run(give_up())

    assert asyncio.run(flights.run_async("", work)) == 7
