"""One piece of work at a time for each key: who comes meanwhile waits for it and shares its outcome."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from toolroster.errors import Unavailable

T = TypeVar("T")


class Flights(Generic[T]):
    """Shares outcomes among threads, and among the tasks of an event loop.

    Not between them: a thread that waits for its own event loop's task would wait forever.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._futures: dict[str, Future[T]] = {}
        self._tasks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Task[T]]]
        self._tasks = WeakKeyDictionary()

    def run(self, key: str, work: Callable[[], T]) -> T:
        """Return what the work returns, or what another thread's work for the key returns just now."""
        mine: Future[T] = Future()
        with self._lock:
            future = self._futures.setdefault(key, mine)
        if future is mine:
            self._lead(key, mine, work)
        return future.result()

    def _lead(self, key: str, future: "Future[T]", work: Callable[[], T]) -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - it goes to all who wait
            self._land(key)
            future.set_exception(error)
        except BaseException:  # an interrupt is the leader's alone
            self._land(key)
            future.set_exception(Unavailable("The request was given up."))
            raise
        else:
            self._land(key)
            future.set_result(result)

    def _land(self, key: str) -> None:
        """Let the next caller start anew: before the outcome is told, so that nobody joins what is over."""
        with self._lock:
            del self._futures[key]

    async def run_async(self, key: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do the same among tasks; a caller that is cancelled leaves the work to the others."""
        tasks = self._tasks.setdefault(asyncio.get_running_loop(), {})
        if key not in tasks:
            tasks[key] = asyncio.create_task(work())
            tasks[key].add_done_callback(lambda _: tasks.pop(key))
        return await asyncio.shield(tasks[key])
