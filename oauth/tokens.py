"""Check access tokens: from the process for some seconds, then from Valkey, then from the database.

An answer counts for FRESH_SECONDS from the moment the database gave it, in whichever cache it lies: so a
revoked token, a withdrawn grant or a changed role bites within that time, everywhere. Fails closed when the
database is down; without Valkey it is only slower.
"""

import hashlib
import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import orjson
from django.contrib.postgres.expressions import ArraySubquery
from django.core.cache import cache
from django.db.models import OuterRef
from oauth2_provider.models import get_access_token_model
from redis.exceptions import RedisError

from oauth import scopes
from oauth.models import ScopeGrant
from toolroster.cache import Cache
from toolroster.errors import TokenInvalid
from toolroster.oauth.challenge import is_bearer_token

logger = logging.getLogger(__name__)

FRESH_SECONDS = 5.0
MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class CheckedToken:
    """A valid token: its application and user, effective scopes, roles, audience (RFC 8707) and end.

    `checked_at` and `expires_at` are seconds since 1970.
    """

    application_id: int | None
    client_id: str
    user_id: int | None
    scopes: tuple[str, ...]
    roles: tuple[str, ...]
    audience: tuple[str, ...]
    expires_at: float
    checked_at: float

    def counts(self, now: float) -> bool:
        """Tell whether the answer is fresh, and the token not expired since."""
        return 0 <= now - self.checked_at < FRESH_SECONDS and now < self.expires_at


remembered: Cache[CheckedToken] = Cache(MOST_REMEMBERED)
"""The answers of this process."""


def check(token: str, *, now: datetime) -> CheckedToken:
    """Return what a bearer token stands for.

    Raises:
        TokenInvalid: malformed, unknown, expired or revoked, or its application or person is gone.
    """
    if not is_bearer_token(token):
        raise TokenInvalid("The access token is malformed.")
    key, at = key_of(token), now.timestamp()
    known = _known(key, at)
    if known is not None:
        return known
    answer = _shared(key)
    if answer is None or not answer.counts(at):
        answer = _look_up(key, at)
        _share(key, answer)
    remembered.put(key, answer, until=answer.expires_at)
    return answer


def is_remembered(token: str, *, now: datetime) -> bool:
    """Tell whether `check` will answer from this process, without asking anybody."""
    return _known(key_of(token), now.timestamp()) is not None


def _known(key: str, at: float) -> CheckedToken | None:
    known = remembered.get(key, now=at)
    return known if known is not None and known.counts(at) else None


def key_of(token: str) -> str:
    """Return what a token is stored and remembered under: its SHA-256 (hex), never itself."""
    return hashlib.sha256(token.encode()).hexdigest()


def _shared(key: str) -> CheckedToken | None:
    try:
        text = cache.get(f"tr:token:{key}")
    except RedisError:
        logger.warning("tokens are checked without Valkey")
        return None
    try:
        return text and CheckedToken(**{k: _tupled(v) for k, v in orjson.loads(text).items()})
    except TypeError:  # of another release, for five seconds after an upgrade
        return None


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _share(key: str, answer: CheckedToken) -> None:
    try:
        cache.set(f"tr:token:{key}", orjson.dumps(asdict(answer)), timeout=int(FRESH_SECONDS))
    except RedisError:
        logger.warning("tokens are checked without Valkey")


def _look_up(key: str, at: float) -> CheckedToken:
    granted = ScopeGrant.objects.filter(application=OuterRef("application")).values("scope__name")
    found = (
        get_access_token_model()
        .objects.filter(token_checksum=key)
        .select_related("application", "user")
        .annotate(granted=ArraySubquery(granted))
        .first()
    )
    if found is None or found.expires is None or found.expires.timestamp() <= at:
        raise TokenInvalid("The access token is invalid or has expired.")
    if found.application is None or not found.application.is_usable(None):
        raise TokenInvalid("The application of this access token cannot be used.")
    if found.user is not None and not found.user.is_active:
        raise TokenInvalid("The account of this access token's person was closed.")
    held = sorted(set(found.scope.split()) & set(found.granted))
    return CheckedToken(
        application_id=found.application_id,
        client_id=found.application.client_id,
        user_id=found.user_id,
        scopes=tuple(scopes.open_to(held, found.user)),
        roles=tuple(sorted(found.application.roles)),
        audience=tuple(found.resource or ()),
        expires_at=found.expires.timestamp(),
        checked_at=at,
    )


def forget() -> None:
    """Ask the database at the next check: for tests, and for this process after a change of its own."""
    remembered.clear()
