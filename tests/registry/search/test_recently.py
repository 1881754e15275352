"""What is remembered for a while."""

from itertools import count
from types import SimpleNamespace

import pytest

from registry.search import recently
from registry.search.recently import Recently


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(recently, "time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


def test_it_is_looked_up_again_when_it_is_too_old(clock: SimpleNamespace) -> None:
    numbers = count()
    found = Recently(lambda: next(numbers), seconds=60)
    first = found.get()

    clock.now += 60
    same = found.get()
    clock.now += 1

    assert (first, same, found.get()) == (0, 0, 1)


def test_what_is_forgotten_is_looked_up_at_once(clock: SimpleNamespace) -> None:
    numbers = count()
    found = Recently(lambda: next(numbers), seconds=60)
    found.get()

    found.forget()

    assert found.get() == 1
