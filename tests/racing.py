"""Run services at the same time, each in a thread with its own connection."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event
from time import monotonic
from typing import Any, TypeVar

from django.db import connection, connections, transaction

T = TypeVar("T")

PATIENCE_SECONDS = 20


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Start all at the same moment; return their results, or raise the first exception."""
    barrier = Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(PATIENCE_SECONDS)
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(PATIENCE_SECONDS) for future in [pool.submit(run, work) for work in works]]


@contextmanager
def uncommitted(work: Callable[[], Any]) -> Iterator[Callable[[], None]]:
    """Do the work in another connection; its transaction stays open until the given function is called."""
    is_done, may_commit = Event(), Event()

    def run() -> None:
        try:
            with transaction.atomic():
                work()
                is_done.set()
                assert may_commit.wait(PATIENCE_SECONDS), "the other side waited for this transaction"
        finally:
            is_done.set()
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        is_done.wait(PATIENCE_SECONDS)

        def commit() -> None:
            may_commit.set()
            future.result(PATIENCE_SECONDS)

        try:
            yield commit
        finally:
            commit()


@contextmanager
def in_background(work: Callable[[], T]) -> Iterator["Future[T]"]:
    """Start the work in another connection; yield its future."""

    def run() -> T:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(run)


def wait_until_blocked(future: "Future[Any]") -> None:
    """Return once a transaction waits for a lock; fail if the work ends without waiting."""
    deadline = monotonic() + PATIENCE_SECONDS
    while monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        assert not future.done(), future.result()
    raise AssertionError("nothing waited for a lock")
