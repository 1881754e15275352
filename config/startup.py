"""What a web process does before its first request."""

import logging
import threading
import time
from collections.abc import Callable

from django.db import Error
from django.utils import timezone

from registry import conf
from registry.services import leases

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 1.0


class Beginning:
    """Does `act` once in this process, for all threads; after a database error, again at a later call.

    It fails open: requests are served meanwhile, and say themselves that the database is down.
    """

    def __init__(self, act: Callable[[], object], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._act = act
        self._clock = clock
        self._lock = threading.Lock()
        self._next_at = float("-inf")

    def __call__(self) -> None:
        if self._next_at == float("inf"):
            return
        with self._lock:
            if self._clock() >= self._next_at:
                self._next_at = self._attempt()

    def _attempt(self) -> float:
        try:
            self._act()
        except Error:
            logger.exception("the database does not answer: whether leases need a grace period is still open")
            return self._clock() + PAUSE_SECONDS
        return float("inf")


def begin_leases() -> None:
    """Hold the leases for a while if the registry itself was away."""
    if leases.begin(now=timezone.now(), policy=conf.lease_policy()):  # noqa: TID251 - an interface
        logger.warning("the registry was away: leases are held until providers have had time to beat")


begin = Beginning(begin_leases)
"""Grants the grace period of `registry.services.leases`; called by `config.asgi` and `config.wsgi`."""
