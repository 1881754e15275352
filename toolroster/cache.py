"""A bounded memory for values that count until a moment."""

import threading
from typing import Generic, TypeVar

V = TypeVar("V")


class Cache(Generic[V]):
    """Keeps at most `most` values; beyond that the ones stored first go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._entries: dict[str, tuple[V, float]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str, *, now: float) -> V | None:
        """Return the value while it counts."""
        value, until = self._entries.get(key, (None, now))
        return value if now < until else None

    def clear(self) -> None:
        """Remember nothing."""
        with self._lock:
            self._entries.clear()

    def put(self, key: str, value: V, *, until: float) -> None:
        """Store a value that counts before `until`, on the clock of `get`."""
        with self._lock:
            self._entries.pop(key, None)
            self._entries[key] = (value, until)
            while len(self._entries) > self._most:
                del self._entries[next(iter(self._entries))]
