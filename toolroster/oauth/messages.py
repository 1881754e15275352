"""What is said to an authorization server, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from toolroster import strict_json
from toolroster.errors import Malformed, Unavailable

_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request: a GET, or a POST when there is a form. Both may hold secrets: no repr shows them."""

    url: httpx.URL
    form: Mapping[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def arguments(self) -> dict[str, Any]:
        """Return the request in httpx's words."""
        method = "GET" if self.form is None else "POST"
        return {"method": method, "url": self.url, "data": self.form, "headers": {**_HEADERS, **self.headers}}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said, with a status below 500; the body may hold a token."""

    status: int
    headers: httpx.Headers = field(repr=False)
    body: bytes = field(repr=False)

    def document(self) -> dict[str, Any]:
        """Return the JSON object of the body.

        Raises:
            Unavailable: it is something else, as a proxy or a wrong address says it.
        """
        media_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json":
            raise Unavailable(f"The authorization server's answer ({self.status}) is not JSON.")
        try:
            document = strict_json.loads(self.body)
        except Malformed as error:
            raise Unavailable(f"The authorization server's answer ({self.status}) is malformed.") from error
        if not isinstance(document, dict):
            raise Unavailable(f"The authorization server's answer ({self.status}) is no JSON object.")
        return document
