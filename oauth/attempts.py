"""Slow down who guesses secrets: failures are counted in Valkey, by client or by person.

Fails open: without Valkey nobody is slowed down, and the log says so. Secrets have 128 characters.
Failures in the name of somebody who exists are in the audit: the counted ones, so never more than a dozen a
minute for each.
"""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.core.cache import cache
from redis.exceptions import RedisError

from oauth import audit
from oauth.models import Application, User

logger = logging.getLogger(__name__)

MOST_FAILURES = 10
WINDOW_SECONDS = 60


class Claim(StrEnum):
    """What somebody claims to be."""

    CLIENT = "client"
    PERSON = "person"


_FAILED = {Claim.CLIENT: audit.Kind.CLIENT_FAILED, Claim.PERSON: audit.Kind.PERSON_FAILED}
_BLOCKED = {Claim.CLIENT: audit.Kind.CLIENT_BLOCKED, Claim.PERSON: audit.Kind.PERSON_BLOCKED}


@dataclass(frozen=True, slots=True)
class Claimed:
    """Who somebody says they are: a client by its id, a person by their name."""

    claim: Claim
    name: str

    @property
    def key(self) -> str:
        """Where the failures are counted: short, whatever is claimed."""
        return f"tr:attempts:{hashlib.sha256(f'{self.claim}:{self.name}'.encode()).hexdigest()}"

    def exists(self) -> bool:
        """Tell whether there is such a client or person."""
        if self.claim is Claim.CLIENT:
            return bool(Application.objects.filter(client_id=self.name).exists())
        return User.objects.filter(username=self.name).exists()


def is_blocked(claimed: Claimed) -> bool:
    """Tell whether there were too many failures in this name within the window."""
    try:
        return int(cache.get(claimed.key, 0)) >= MOST_FAILURES
    except RedisError:
        logger.warning("failed attempts are not counted: Valkey is down")
        return False


def note_failure(claimed: Claimed, *, now: datetime) -> None:
    """Count a failed attempt, and put it into the audit."""
    logger.warning("somebody failed to authenticate", extra={claimed.claim.value: claimed.name[:100]})
    try:
        cache.add(claimed.key, 0, timeout=WINDOW_SECONDS)
        failures = cache.incr(claimed.key)
    except (RedisError, ValueError):  # ValueError: the window ended in between
        logger.warning("a failed attempt was not counted")
        return
    if failures <= MOST_FAILURES and claimed.exists():
        audit.record(_FAILED[claimed.claim], claimed.name, by="", now=now)
        if failures == MOST_FAILURES:
            audit.record(_BLOCKED[claimed.claim], claimed.name, by="", now=now, seconds=WINDOW_SECONDS)
