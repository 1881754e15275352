"""What both faces of the registry client share: how requests look, and what is remembered of answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypedDict

import httpx

from toolroster.access import Access, registry_url_of
from toolroster.client.answers import content_of
from toolroster.client.calls import Ask, Told
from toolroster.client.disk import DiskCache, Entry
from toolroster.errors import Unavailable
from toolroster.messages import Body

MOST_BYTES = 64 * 1024 * 1024
"""The largest answer that is read."""
TIMEOUT_SECONDS = 10.0
WHOLE_SECONDS = 60.0
"""The longest that a body may take; a list of a large registry has megabytes."""
PATIENCE_SECONDS = 1.0


class Filters(TypedDict, total=False):
    """What a list or a search is narrowed to; several labels mean any of them."""

    category: str | Sequence[str]
    tag: str | Sequence[str]
    provider: str
    cost_level: str
    read_only: bool
    idempotent: bool
    include_deprecated: bool
    include_prerelease: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """One registry, asked by one caller; what was answered is kept for this caller alone."""

    url: str
    auth: httpx.Auth | None
    cache: DiskCache | None
    _whose: str

    @classmethod
    def of(cls, url: str | None, access: Access | str | None, cache: DiskCache | None) -> "Exchange":
        """Read what is not given from the environment."""
        address = registry_url_of(url)
        who = Access(token=access) if isinstance(access, str) else access or Access.of_environment(address)
        secret = who.client_id or who.token
        scopes = " ".join(sorted(who.scopes))
        whose = sha256(f"{secret} {scopes}".encode()).hexdigest() if secret else "everybody"
        return cls(address, who.auth(address), cache, whose)

    def request(self, ask: Ask, kept: Entry | None) -> dict[str, Any]:
        """Return a request in httpx's words; with the tag of what is kept the answer may be 304."""
        headers = {"Accept": "application/json"}
        if kept is not None and kept.etag:
            headers["If-None-Match"] = kept.etag
        return {
            "method": ask.method or ("GET" if ask.json is None else "POST"),
            "url": self.url + ask.path,
            "params": list(ask.query),
            "json": ask.json,
            "headers": headers,
            "auth": self.auth,
            "timeout": TIMEOUT_SECONDS + ask.wait_seconds,
        }

    def kept(self, ask: Ask) -> Entry | None:
        """Return what is kept for a request."""
        return self.cache.get(self._key(ask)) if self.cache is not None and ask.is_kept else None

    def told(self, kept: Entry) -> Told:
        """Return what is kept, with its age."""
        return Told(kept.content, self.cache.age_of(kept) if self.cache is not None else 0.0)

    def everything_kept(self) -> Iterator[Told]:
        """Give all that is kept for this caller of this registry, the latest first."""
        for entry in self.cache.entries() if self.cache is not None else ():
            if entry.key.startswith(self._prefix):
                yield self.told(entry)

    def take(self, ask: Ask, kept: Entry | None, response: httpx.Response) -> Told:
        """Return what an answer says, and keep it.

        Raises:
            ToolrosterError: what the registry says is wrong, or that it makes no sense.
        """
        is_same = response.status_code == httpx.codes.NOT_MODIFIED and kept is not None
        content = kept.content if is_same and kept is not None else content_of(response)
        if not ask.is_sensible(content):
            raise Unavailable(f"The registry at {self.url} answers what makes no sense.")
        if self.cache is not None and ask.is_kept:
            etag = kept.etag if is_same and kept is not None else response.headers.get("etag", "")
            self.cache.put(self._key(ask), content, etag=etag)
        return Told(content)

    def body(self) -> Body:
        """Return what reads an answer's body."""
        return Body("registry", most_bytes=MOST_BYTES, seconds=WHOLE_SECONDS)

    def no_answer(self, error: httpx.HTTPError) -> Unavailable:
        """Return the error for a request that got no answer."""
        return Unavailable(f"The registry at {self.url} does not answer ({type(error).__name__}).")

    @property
    def _prefix(self) -> str:
        return f"{self.url} {self._whose} "

    def _key(self, ask: Ask) -> str:
        return self._prefix + ask.key
