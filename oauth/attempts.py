"""Slow down who guesses secrets: failures are counted per client in Valkey.

Fails open: without Valkey nobody is slowed down, and the log says so. Secrets have 128 characters.
"""

import hashlib
import logging

from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

MOST_FAILURES = 10
WINDOW_SECONDS = 60


def is_blocked(client_id: str) -> bool:
    """Tell whether a client failed too often within the window."""
    try:
        return int(cache.get(_key(client_id), 0)) >= MOST_FAILURES
    except RedisError:
        logger.warning("failed attempts are not counted: Valkey is down")
        return False


def note_failure(client_id: str) -> None:
    """Count a failed attempt."""
    logger.warning("a client failed to authenticate", extra={"client": client_id[:100]})
    try:
        key = _key(client_id)
        cache.add(key, 0, timeout=WINDOW_SECONDS)
        cache.incr(key)
    except (RedisError, ValueError):  # ValueError: the window ended in between
        logger.warning("a failed attempt was not counted")


def _key(client_id: str) -> str:
    return f"tr:attempts:{hashlib.sha256(client_id.encode()).hexdigest()}"
