"""The numbers of the front page, counted at most twice a minute for those who see the same."""

import threading
from datetime import datetime, timedelta

from registry.api.call import Call
from registry.services import statistics
from registry.services.statistics import Inventory

_AGE = timedelta(seconds=30)
_MOST_KEPT = 100


class RecentNumbers:
    """Inventories of this process, by what their reader may see."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[datetime, Inventory]] = {}

    def at(self, call: Call) -> Inventory:
        """Return an inventory that is at most half a minute old."""
        key = call.principal.visibility_key
        with self._lock:
            counted_at, numbers = self._kept.get(key, (None, None))
        if numbers is None or counted_at is None or not timedelta(0) <= call.now - counted_at < _AGE:
            numbers = statistics.inventory(principal=call.principal)
            self._keep(key, call.now, numbers)
        return numbers

    def _keep(self, key: str, now: datetime, numbers: Inventory) -> None:
        with self._lock:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = (now, numbers)

    def forget(self) -> None:
        """Count again at the next question."""
        with self._lock:
            self._kept.clear()


recent = RecentNumbers()
"""The numbers that the pages of this process share."""
