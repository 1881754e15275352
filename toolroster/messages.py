"""What is said to a server over HTTP, and what it answers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from toolroster import strict_json
from toolroster.errors import Malformed, Unavailable

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


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
