"""How a client shows its secret to an authorization server (RFC 6749 §2.3.1)."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote_plus

import httpx

from toolroster.messages import Call

Method = Literal["client_secret_basic", "client_secret_post"]


@dataclass(frozen=True, slots=True)
class ClientSecret:
    """A client's id and secret, and where they go: the Authorization header or the form."""

    client_id: str
    client_secret: str = field(repr=False)
    method: Method = "client_secret_basic"

    def post(self, url: httpx.URL, form: Mapping[str, str]) -> Call:
        """Return an authenticated form post."""
        if self.method == "client_secret_post":
            own = {"client_id": self.client_id, "client_secret": self.client_secret}
            return Call(url, {**form, **own})
        return Call(url, form, {"Authorization": f"Basic {self._basic()}"})

    def _basic(self) -> str:
        pair = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}"
        return base64.b64encode(pair.encode()).decode()
