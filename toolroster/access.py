"""How a program shows a registry who it is: a client's id and secret, a token, or nothing."""

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Self

import httpx

from toolroster.errors import DocumentInvalid
from toolroster.oauth import ClientCredentials, TokenChecker
from toolroster.oauth.challenge import is_bearer_token


@dataclass(frozen=True)
class Access:
    """A client's id and secret, or a token; without any, what everybody may see."""

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    scopes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.token and not is_bearer_token(self.token):
            raise DocumentInvalid("The access token is malformed; it has no blanks and no line breaks.")

    @classmethod
    def of_environment(cls, registry_url: str) -> Self:
        """Read `TOOLROSTER_CLIENT_ID` and `TOOLROSTER_CLIENT_SECRET`, or `TOOLROSTER_TOKEN`.

        They are for the registry of `TOOLROSTER_URL`: another one is shown nothing.
        """
        if os.environ.get("TOOLROSTER_URL", registry_url).rstrip("/") != registry_url:
            return cls()
        return cls(
            client_id=os.environ.get("TOOLROSTER_CLIENT_ID", ""),
            client_secret=os.environ.get("TOOLROSTER_CLIENT_SECRET", ""),
            token=os.environ.get("TOOLROSTER_TOKEN", ""),
        )

    def auth(self, registry_url: str) -> httpx.Auth | None:
        """Return it as httpx takes it."""
        if self.client_id:
            url = f"{registry_url}/token"
            return ClientCredentials(url, self.client_id, self.client_secret, scopes=self.scopes)
        return BearerAuth(self.token) if self.token else None

    def checker(self, registry_url: str, *, audience: str) -> TokenChecker | None:
        """Return what checks the tokens of callers; the client needs the scope `introspection` for it."""
        if not self.client_id:
            return None
        url = f"{registry_url}/introspect"
        return TokenChecker(url, self.client_id, self.client_secret, audience=audience)


class BearerAuth(httpx.Auth):
    """A token that somebody else renews."""

    def __init__(self, token: str) -> None:
        self.token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the request with the token."""
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


def registry_url_of(given: str | None) -> str:
    """Return a registry's address without a slash at its end; `TOOLROSTER_URL` if none is given.

    Raises:
        DocumentInvalid: there is none, or it is no http address.
    """
    text = (given or os.environ.get("TOOLROSTER_URL", "")).rstrip("/")
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise DocumentInvalid(f"{text[:200]!r} is no address: {error}.") from error
    if url.userinfo or url.query or url.fragment:
        raise DocumentInvalid("The address of a registry holds no user, password, query or fragment.")
    if url.scheme not in {"http", "https"} or not url.host:
        raise DocumentInvalid(
            f"{text[:200]!r} is no address of a registry; write http(s)://host, or set TOOLROSTER_URL."
        )
    return text
