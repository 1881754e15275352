"""Answers that are kept as bytes: in the process, then in Valkey, for as long as they count.

Keys hold the generations (`services.generations`), the filters and the caller's visibility key, so that an
answer is never shown to who sees something else. Under a stampede one thread makes an answer and the others
wait for it, those of other processes as well.
"""

import gzip
import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from django.core.cache import cache
from redis.exceptions import RedisError

from toolroster.flights import Flights

logger = logging.getLogger(__name__)

MOST_BYTES = 64 * 1024 * 1024
"""What a process keeps; the least recently used go first."""
LONGEST_SECONDS = 300.0
_LOCK_SECONDS = 5
_POLL_SECONDS = 0.01
_PATIENCE_SECONDS = 1.0
_WORTH_COMPRESSING = 1024


@dataclass(frozen=True, slots=True)
class Made:
    """An answer as it was made: its bytes, headers of its own, and until when it counts (s since 1970).

    `is_compressed`: clients get it compressed if they like, which is worth its cost for what is asked often.
    """

    body: bytes
    expires_at: float
    headers: tuple[tuple[str, str], ...] = ()
    is_compressed: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it is kept. `compressed` is its gzip, empty where that is not worth it."""

    body: bytes
    compressed: bytes
    etag: str
    expires_at: float
    headers: tuple[tuple[str, str], ...] = field(default=())

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.compressed) + 500

    def counts(self, now: float) -> bool:
        """Tell whether it may be served still."""
        return now < self.expires_at


def keep(made: Made) -> Kept:
    """Return an answer with what all who ask for it share: its hash and its compressed form."""
    digest = hashlib.sha256(made.body).hexdigest()[:32]
    is_worth_it = made.is_compressed and len(made.body) >= _WORTH_COMPRESSING
    compressed = gzip.compress(made.body, 6, mtime=0) if is_worth_it else b""
    # Weak: the compressed form has the same tag (RFC 9110 §8.8.3.3).
    return Kept(made.body, compressed, f'W/"{digest}"', made.expires_at, made.headers)


class Answers:
    """The answers that a process keeps, and those that all processes share."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._bytes = 0
        self._flights: Flights[Kept] = Flights()

    def get(self, key: str, *, now: float) -> Kept | None:
        """Return what this process keeps; it waits for nothing."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or not found.counts(now):
                return None
            self._kept.move_to_end(key)
            return found

    def fetch(self, key: str, make: Callable[[], Made], *, now: float, is_shared: bool = True) -> Kept:
        """Return an answer that counts, made by one thread if nobody keeps it.

        `is_shared`: one thread of all processes makes it, and all of them keep it.
        """

        def anew() -> Kept:
            return (self._shared(key, now) or self._made(key, make, now)) if is_shared else keep(make())

        return self.get(key, now=now) or self._flights.run(key, lambda: self._led(key, anew, now))

    def _led(self, key: str, anew: Callable[[], Kept], now: float) -> Kept:
        found = self.get(key, now=now) or anew()
        self.put(key, found)
        return found

    def _made(self, key: str, make: Callable[[], Made], now: float) -> Kept:
        """Make an answer, unless another process is at it and gets it done."""
        is_ours = _lock(key)
        if not is_ours and (theirs := self._awaited(key, now)):
            return theirs
        made = keep(make())
        _share(key, made, now)
        return made

    def _awaited(self, key: str, now: float) -> Kept | None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            if found := self._shared(key, now):
                return found
        return None

    def _shared(self, key: str, now: float) -> Kept | None:
        try:
            found: Kept | None = cache.get(key)
        except RedisError:
            logger.warning("answers are not shared: Valkey is down")
            return None
        return found if found is not None and found.counts(now) else None

    def put(self, key: str, answer: Kept) -> None:
        """Keep an answer, and let go of the least recently used beyond the limit."""
        with self._lock:
            before = self._kept.pop(key, None)
            self._kept[key] = answer
            self._bytes += answer.size - (before.size if before else 0)
            while self._bytes > self._most_bytes and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._bytes -= gone.size

    def forget(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0


def _lock(key: str) -> bool:
    try:
        return bool(cache.add(f"{key}:lock", 1, timeout=_LOCK_SECONDS))
    except RedisError:
        return True


def _share(key: str, made: Kept, now: float) -> None:
    seconds = int(made.expires_at - now)
    if seconds < 1:
        return
    try:
        cache.set(key, made, timeout=seconds)
    except RedisError:
        logger.warning("answers are not shared: Valkey is down")


answers = Answers()
"""What this process keeps."""
