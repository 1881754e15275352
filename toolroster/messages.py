"""What is said to a server over HTTP, and what it answers."""

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from toolroster import strict_json
from toolroster.errors import Malformed, Unavailable

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}
_KEPT_HEADERS = {"content-type", "etag", "retry-after"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request: a GET, or a POST when there is a form or a JSON value. No repr shows what may be secret."""

    url: httpx.URL
    form: Mapping[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: Any = field(default=None, repr=False)
    auth: httpx.Auth | None = field(default=None, repr=False)

    def arguments(self) -> dict[str, Any]:
        """Return the request in httpx's words."""
        is_get = self.form is None and self.json is None
        return {
            "method": "GET" if is_get else "POST",
            "url": self.url,
            "data": self.form,
            "json": self.json,
            "headers": {**_HEADERS, **self.headers},
            "auth": self.auth,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said, with a status below 500; the body may hold a token."""

    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)
    peer: str = "server"
    """What the server is called in errors."""

    def document(self, *, media_types: Collection[str] = ("application/json",)) -> dict[str, Any]:
        """Return the JSON object of the body, sent as one of these media types.

        Raises:
            Unavailable: it is something else, as a proxy or a wrong address says it.
        """
        media_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type not in media_types:
            raise Unavailable(f"The {self.peer}'s answer ({self.status}) is not JSON.")
        try:
            document = strict_json.loads(self.body)
        except Malformed as error:
            raise Unavailable(f"The {self.peer}'s answer ({self.status}) is malformed.") from error
        if not isinstance(document, dict):
            raise Unavailable(f"The {self.peer}'s answer ({self.status}) is no JSON object.")
        return document


class Body:
    """The parts of an answer's body, refused when they are too many or too slow.

    Each part may be in time and the whole never end, and so the whole has a deadline as well.
    """

    def __init__(
        self, peer: str, *, most_bytes: int, seconds: float, ticks: Callable[[], float] = time.monotonic
    ) -> None:
        self.content = bytearray()
        self._peer = peer
        self._most_bytes = most_bytes
        self._ticks = ticks
        self._deadline = ticks() + seconds

    def add(self, part: bytes) -> None:
        """Take the next part.

        Raises:
            Unavailable: that is enough.
        """
        self.content += part
        if len(self.content) > self._most_bytes:
            raise Unavailable(f"The {self._peer}'s answer is larger than {self._most_bytes} bytes.")
        if self._ticks() > self._deadline:
            raise Unavailable(f"The {self._peer}'s answer takes too long.")

    def whole(self, response: httpx.Response, parts: Iterator[bytes]) -> httpx.Response:
        """Return an answer with all its parts read."""
        for part in parts:
            self.add(part)
        return self._copy(response)

    async def whole_async(self, response: httpx.Response, parts: AsyncIterator[bytes]) -> httpx.Response:
        """Do the same on the running event loop."""
        async for part in parts:
            self.add(part)
        return self._copy(response)

    def _copy(self, response: httpx.Response) -> httpx.Response:
        named = {name: value for name, value in response.headers.items() if name in _KEPT_HEADERS}
        content, request = bytes(self.content), response.request
        return httpx.Response(response.status_code, headers=named, content=content, request=request)
