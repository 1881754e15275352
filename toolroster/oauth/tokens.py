"""Check the tokens that callers of a tool service send, by asking their authorization server (RFC 7662)."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field

import httpx

from toolroster.cache import Cache
from toolroster.errors import InsufficientScope, TokenInvalid
from toolroster.flights import Flights
from toolroster.messages import Answer
from toolroster.oauth.challenge import is_bearer_token
from toolroster.oauth.client_secret import ClientSecret, Method
from toolroster.oauth.introspection import CheckedToken, Expected, Refused
from toolroster.oauth.resource import normal
from toolroster.wire import Wire

CHECKING_WIRE = Wire(timeout_seconds=2.0, pauses_seconds=(0.1,))
"""A caller waits for the check, so it gives up sooner than a request for a token."""


@dataclass(eq=False)
class TokenChecker:
    """Tells whom a token stands for and what it opens; fails closed when the server is down.

    A token counts if it is for `audience`, this service, or for the registry, through which agents found
    it: `registry_audience`, by default the origin of `introspection_url`; with `accepts_registry_audience`
    off only the first. With `issuer` given, the server must name it. An answer counts for `cache_seconds`
    from when it was asked for and never beyond the token's end; so long a revoked token may still be
    accepted. Refusals count for `refusal_cache_seconds`; at most `most_cached` of each are remembered.
    `clock` is the time of day in seconds since 1970.
    """

    introspection_url: str
    client_id: str
    client_secret: str = field(repr=False)
    _: KW_ONLY
    audience: str
    accepts_registry_audience: bool = True
    registry_audience: str | None = None
    issuer: str | None = None
    cache_seconds: float = 5.0
    refusal_cache_seconds: float = 1.0
    most_cached: int = 10_000
    method: Method = "client_secret_basic"
    wire: Wire = field(default=CHECKING_WIRE, repr=False)
    clock: Callable[[], float] = field(default=time.time, repr=False)

    def __post_init__(self) -> None:
        self._url = httpx.URL(self.introspection_url)
        self._secret = ClientSecret(self.client_id, self.client_secret, self.method)
        self._expected = Expected(frozenset(map(normal, self._audiences())), self.issuer)
        self._flights: Flights[CheckedToken | Refused] = Flights()
        # Apart, so that a flood of bad tokens does not push out the good ones.
        self._accepted: Cache[CheckedToken] = Cache(self.most_cached)
        self._refused: Cache[Refused] = Cache(self.most_cached)

    def check(self, token: str, scopes: Sequence[str] = ()) -> CheckedToken:
        """Return what a token stands for; any one of `scopes` is enough, none means that any token is.

        Raises:
            TokenInvalid: malformed, unknown, expired, revoked, of another issuer or for another audience.
            InsufficientScope: the token has none of the scopes.
            Unavailable: the authorization server does not answer, or makes no sense.
        """
        key = _key(token)
        verdict = self._recall(key) or self._flights.run(key, lambda: self._ask(key, token))
        return _permitted(verdict, scopes)

    async def check_async(self, token: str, scopes: Sequence[str] = ()) -> CheckedToken:
        """Do the same as `check`, on the running event loop."""
        key = _key(token)
        verdict = self._recall(key) or await self._flights.run_async(key, lambda: self._ask_async(key, token))
        return _permitted(verdict, scopes)

    def _audiences(self) -> list[str]:
        if not self.accepts_registry_audience:
            return [self.audience]
        return [self.audience, self.registry_audience or str(self._url.join("/"))]

    def _recall(self, key: str) -> CheckedToken | Refused | None:
        now = self.wire.ticks()
        return self._accepted.get(key, now=now) or self._refused.get(key, now=now)

    def _ask(self, key: str, token: str) -> CheckedToken | Refused:
        if (known := self._recall(key)) is not None:  # the one before landed between look and take-off
            return known
        asked_at = self.wire.ticks()
        answer = self.wire.send(self._secret.post(self._url, _form(token)))  # fails closed
        return self._learn(key, answer, asked_at)

    async def _ask_async(self, key: str, token: str) -> CheckedToken | Refused:
        if (known := self._recall(key)) is not None:
            return known
        asked_at = self.wire.ticks()
        answer = await self.wire.send_async(self._secret.post(self._url, _form(token)))  # fails closed
        return self._learn(key, answer, asked_at)

    def _learn(self, key: str, answer: Answer, asked_at: float) -> CheckedToken | Refused:
        now = self.clock()
        verdict = self._expected.verdict(answer, now=now)
        if isinstance(verdict, Refused):
            self._refused.put(key, verdict, until=asked_at + self.refusal_cache_seconds)
            return verdict
        until = asked_at + self.cache_seconds
        if verdict.expires_at is not None:  # the time of day may be set back; the ticks may not
            until = min(until, self.wire.ticks() + verdict.expires_at.timestamp() - now)
        self._accepted.put(key, verdict, until=until)
        return verdict


def _key(token: str) -> str:
    """Return what a token is remembered under: its SHA-256, never itself."""
    if not is_bearer_token(token):
        raise TokenInvalid("The access token is malformed.")
    return hashlib.sha256(token.encode()).hexdigest()


def _form(token: str) -> dict[str, str]:
    return {"token": token, "token_type_hint": "access_token"}


def _permitted(verdict: CheckedToken | Refused, scopes: Sequence[str]) -> CheckedToken:
    if isinstance(verdict, Refused):
        raise TokenInvalid(verdict.reason)
    if scopes and verdict.scopes.isdisjoint(scopes):
        raise InsufficientScope(f"The token lacks the scope {' or '.join(scopes)}.", scopes=scopes)
    return verdict
