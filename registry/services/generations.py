"""When kept answers stop to count: a generation for each category, one for all tools, one for everything.

A reader takes the generations before its query and keeps the answer under them; whoever changes what lists
show replaces them after the commit. A generation is a random number, not a count: if Valkey loses them, new
ones match nothing that was kept. Without Valkey nothing is kept and nothing kept is used: slower, not wrong.
"""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from django.core.cache import cache
from django.db import transaction
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

FAST_SECONDS = 0.25
"""How old the generations of a process may be when it does not read them at each request."""
_PAUSE_SECONDS = 2.0
_ALL = "tr:gen:all"
_EVERYTHING = "tr:gen:everything"
"""Part of every question: what it ends does not show by any one tool, such as another way to judge leases."""
_KEPT_SECONDS = 30 * 86_400
"""Longer than any answer is kept."""


class Generations:
    """The generations as this process knows them, at most `fresh_seconds` old; 0 reads them each time."""

    def __init__(self, fresh_seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.fresh_seconds = fresh_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[str, tuple[int, float]] = {}
        self._owed: set[str] = set()
        self._ask_again_at = 0.0

    def of(self, categories: Iterable[str]) -> tuple[int, ...] | None:
        """Return the generations of some categories (none: of everything); None where they cannot be had."""
        names = _names(categories)
        known = self.known(names)
        if known is not None or self._clock() < self._ask_again_at:
            return known
        return self._read(names)

    def known(self, names: Sequence[str]) -> tuple[int, ...] | None:
        """Return what the process knows, without asking Valkey; None where that is not fresh enough."""
        oldest = self._clock() - self.fresh_seconds
        found = [self._known.get(name) for name in names]
        if self._owed or not self.fresh_seconds or any(one is None or one[1] < oldest for one in found):
            return None
        return tuple(one[0] for one in found if one is not None)

    def replace(self, categories: Iterable[str]) -> None:
        """Let nothing count any more that was kept of these categories, or of everything."""
        self._replace({_ALL, *_names(categories)} - {_EVERYTHING})

    def replace_everything(self) -> None:
        """Let nothing count any more that was kept."""
        self._replace({_EVERYTHING})

    def _replace(self, names: set[str]) -> None:
        with self._lock:
            for name in names:
                self._known.pop(name, None)
        self._pay(names)

    def forget(self) -> None:
        """Read again at the next question."""
        with self._lock:
            self._known.clear()
            self._ask_again_at = 0.0

    def _read(self, names: Sequence[str]) -> tuple[int, ...] | None:
        if self._owed and not self._pay(set()):
            return None
        begun = self._clock()
        try:
            found = cache.get_many(names)
            for name in set(names) - found.keys():
                cache.add(name, _new(), timeout=_KEPT_SECONDS)
                found[name] = cache.get(name)
        except RedisError:
            logger.warning("answers are not kept: Valkey is down")
            self._pause()
            return None
        with self._lock:
            self._known |= {name: (value, begun) for name, value in found.items()}
        return tuple(found[name] for name in names)

    def _pause(self) -> None:
        """Ask nothing for a while: a server that hangs must not hold up every list."""
        self._ask_again_at = self._clock() + _PAUSE_SECONDS

    def _pay(self, names: set[str]) -> bool:
        """Replace generations, those as well that could not be replaced before; tell whether it worked."""
        with self._lock:
            self._owed |= names
            owed = set(self._owed)
        try:
            cache.set_many({name: _new() for name in owed}, timeout=_KEPT_SECONDS)
        except RedisError:
            logger.warning("a change is not told to other processes yet: Valkey is down")
            self._pause()
            return False
        with self._lock:
            self._owed -= owed
        return True


def _names(categories: Iterable[str]) -> list[str]:
    return [_EVERYTHING, *([f"tr:gen:cat:{category}" for category in sorted(set(categories))] or [_ALL])]


def _new() -> int:
    return secrets.randbits(60)


shared = Generations(FAST_SECONDS)
"""The generations that the read paths of this process share."""


def names_of(categories: Iterable[str]) -> Sequence[str]:
    """Return the generations that a list of some categories depends on."""
    return _names(categories)


def replace_on_commit(categories: Iterable[str]) -> None:
    """Replace the generations of what a transaction changed, once it is committed."""
    changed = frozenset(categories)
    transaction.on_commit(lambda: shared.replace(changed))


def replace_everything_on_commit() -> None:
    """Replace the one generation that every kept answer depends on, once the transaction is committed."""
    transaction.on_commit(shared.replace_everything)
