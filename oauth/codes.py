"""Authorization codes that were used: a code that comes twice has leaked, and takes its tokens with it.

django-oauth-toolkit deletes a code when it is used, so Valkey remembers for a day which refresh token it
gave, whose family holds all that came of it. Without Valkey a second use is refused, and ends nothing.
"""

import hashlib
import logging
from datetime import datetime

from django.core.cache import cache
from django.db import transaction
from oauth2_provider.models import get_refresh_token_model
from redis.exceptions import RedisError

from oauth import audit, tokens

logger = logging.getLogger(__name__)

_REMEMBERED_SECONDS = 86_400


def note_use(code: str, refresh_token: str) -> None:
    """Remember which refresh token a code gave."""
    try:
        cache.set(_key(code), tokens.key_of(refresh_token), timeout=_REMEMBERED_SECONDS)
    except RedisError:
        logger.warning("the use of an authorization code was not remembered: Valkey is down")


def end_what_it_gave(code: str, *, now: datetime) -> None:
    """Revoke the tokens of a code, and all that came of refreshing them; a code that never was gave none."""
    try:
        checksum = cache.get(_key(code))
    except RedisError:
        logger.warning("a code that may have been used was refused, and ended nothing: Valkey is down")
        return
    if checksum is not None:
        _revoke(checksum, now)


@transaction.atomic
def _revoke(checksum: str, now: datetime) -> None:
    refresh_tokens = get_refresh_token_model()
    given = refresh_tokens.objects.filter(token_checksum=checksum).select_related("application").first()
    if given is None:  # cleared away since
        return
    refresh_tokens.revoke_family(given.token_family)
    audit.record(audit.Kind.CODE_REPLAYED, given.application.client_id, by="", now=now)


def _key(code: str) -> str:
    return f"tr:code:{hashlib.sha256(code.encode()).hexdigest()}"
