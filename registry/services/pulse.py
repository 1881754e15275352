"""Signs of life of the background processes, kept in the cache.

Fails open: without the cache nothing is noted, and the health check says that the cache is down.
"""

import logging
from datetime import datetime, timedelta

from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

FRESH = timedelta(seconds=45)
"""How old a sign may be: four pulses."""


def note(part: str, *, now: datetime) -> None:
    """Note that a part (`worker` or `beat`) is alive."""
    try:
        cache.set(f"tr:pulse:{part}", now.isoformat(), timeout=3600)
    except RedisError:
        logger.warning("cannot note a pulse: the cache is down")


def is_alive(part: str, *, now: datetime) -> bool:
    """Tell whether a part gave a sign of life lately.

    Raises:
        RedisError: the cache cannot be asked.
    """
    noted = cache.get(f"tr:pulse:{part}")
    return noted is not None and now - datetime.fromisoformat(noted) < FRESH
