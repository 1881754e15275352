"""What is looked up once and then remembered for a while: statistics and the like, which move slowly."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Recently(Generic[T]):
    """What `look` found at most `seconds` ago in this process."""

    def __init__(self, look: Callable[[], T], *, seconds: float) -> None:
        self._look = look
        self._seconds = seconds
        self._found: tuple[T, float] | None = None

    def get(self) -> T:
        """Return it, looked up again if it is too old."""
        found = self._found
        if found is None or time.monotonic() - found[1] > self._seconds:
            found = self._found = (self._look(), time.monotonic())
        return found[0]

    def forget(self) -> None:
        """Look again at the next question."""
        self._found = None
