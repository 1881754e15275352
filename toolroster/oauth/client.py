"""Get access tokens with a client's id and secret (RFC 6749 §4.4), keep them, and get new ones in time."""

import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

import httpx

from toolroster.errors import Unavailable
from toolroster.flights import Flights
from toolroster.messages import Answer, Call
from toolroster.oauth import grant
from toolroster.oauth.client_secret import ClientSecret, Method
from toolroster.oauth.grant import AccessToken
from toolroster.wire import DEFAULT_WIRE, Wire

REST_SECONDS = 5.0
"""How long a valid token is used on when its refresh failed, before the server is asked again."""


@dataclass(eq=False)
class ClientCredentials(httpx.Auth):
    """Access tokens for one client, shared by threads and tasks; also the `auth=` of an httpx client.

        auth = ClientCredentials(url, "mail-agent", secret, scopes=["email:send"], resource="https://tools.test")
        httpx.Client(auth=auth).post(...)

    A token is refreshed `leeway_seconds` before its end, by one request however many callers wait. As
    httpx's auth it sends a request again once, with a new token, when the answer is 401 and the body is
    not a stream. `resource` is whom the token is for (RFC 8707).
    """

    token_url: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: Sequence[str] = ()
    resource: str | None = None
    _: KW_ONLY
    method: Method = "client_secret_basic"
    leeway_seconds: float = 30.0
    wire: Wire = field(default=DEFAULT_WIRE, repr=False)

    def __post_init__(self) -> None:
        self._call = self._token_request()
        self._lock = threading.Lock()
        self._held: AccessToken | None = None
        self._flights: Flights[AccessToken] = Flights()

    def token(self) -> str:
        """Return a valid access token.

        Raises:
            Unauthenticated: the server does not know the client or its secret.
            PermissionMissing: the client may not have these scopes or this resource.
            Malformed: the server finds the request malformed.
            Unavailable: the server is down or makes no sense, and no valid token is at hand.
        """
        return (self._fresh() or self._flights.run("", self._fetch)).value

    async def token_async(self) -> str:
        """Do the same as `token`, on the running event loop."""
        return (self._fresh() or await self._flights.run_async("", self._fetch_async)).value

    def invalidate(self, token: str | None = None) -> None:
        """Forget the token, so that the next call gets another; with `token` only if it is still that one."""
        with self._lock:
            if self._held is not None and token in {None, self._held.value}:
                self._held = None

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the request with a token, and once more when the token is refused."""
        token = self.token()
        response = yield _with_token(request, token)
        if self._is_worth_another(request, response, token):
            yield _with_token(request, self.token())

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Do the same as `sync_auth_flow`, on the running event loop."""
        token = await self.token_async()
        response = yield _with_token(request, token)
        if self._is_worth_another(request, response, token):
            yield _with_token(request, await self.token_async())

    def _token_request(self) -> Call:
        form = {"grant_type": "client_credentials"}
        if self.scopes:
            form["scope"] = " ".join(self.scopes)
        if self.resource is not None:
            form["resource"] = self.resource
        secret = ClientSecret(self.client_id, self.client_secret, self.method)
        return secret.post(httpx.URL(self.token_url), form)

    def _fresh(self) -> AccessToken | None:
        held, now = self._held, self.wire.ticks()
        return held if held is not None and now < held.refresh_at else None

    def _fetch(self) -> AccessToken:
        if (fresh := self._fresh()) is not None:  # the one before landed between look and take-off
            return fresh
        asked_at = self.wire.ticks()
        try:
            return self._keep(self.wire.send(self._call), asked_at)
        except Unavailable as error:
            return self._outlast(error)

    async def _fetch_async(self) -> AccessToken:
        if (fresh := self._fresh()) is not None:
            return fresh
        asked_at = self.wire.ticks()
        try:
            return self._keep(await self.wire.send_async(self._call), asked_at)
        except Unavailable as error:
            return self._outlast(error)

    def _keep(self, answer: Answer, asked_at: float) -> AccessToken:
        token = grant.read(answer, asked_at=asked_at, leeway_seconds=self.leeway_seconds)
        with self._lock:
            self._held = token
        return token

    def _outlast(self, error: Unavailable) -> AccessToken:
        """Go on with the token at hand while it is valid; without one the error stands."""
        now = self.wire.ticks()
        with self._lock:
            if self._held is None or now >= self._held.expires_at:
                raise error
            self._held = replace(self._held, refresh_at=min(now + REST_SECONDS, self._held.expires_at))
            return self._held

    def _is_worth_another(self, request: httpx.Request, response: httpx.Response, token: str) -> bool:
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return False
        self.invalidate(token)
        return isinstance(request.stream, httpx.ByteStream)


def _with_token(request: httpx.Request, token: str) -> httpx.Request:
    request.headers["Authorization"] = f"Bearer {token}"
    return request
