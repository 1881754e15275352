"""Read what a token endpoint answers (RFC 6749 §5)."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from toolroster.errors import Malformed, PermissionMissing, ToolrosterError, Unauthenticated, Unavailable
from toolroster.messages import Answer
from toolroster.oauth.challenge import is_bearer_token

UNSTATED_LIFE_SECONDS = 60.0
"""How long a token is used whose server does not say; a 401 before asks for another one anyway."""
_REFUSALS: dict[str, type[ToolrosterError]] = {
    "invalid_client": Unauthenticated,
    "invalid_request": Malformed,
}


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, when another one is due and when it ends, both on the monotonic clock."""

    value: str = field(repr=False)
    refresh_at: float
    expires_at: float


def read(answer: Answer, *, asked_at: float, leeway_seconds: float) -> AccessToken:
    """Return the token of an answer; its life counts from `asked_at`, when it cannot have begun yet.

    A token that lives shorter than twice the leeway is due at half its life.

    Raises:
        Unauthenticated: the server does not know the client or its secret.
        PermissionMissing: the client may not have what it asks for.
        Malformed: the server finds the request malformed.
        Unavailable: the answer makes no sense.
    """
    if answer.status != httpx.codes.OK:
        raise _refusal(answer)
    document = answer.document()
    value, kind = document.get("access_token"), document.get("token_type")
    if not isinstance(value, str) or not is_bearer_token(value) or str(kind).lower() != "bearer":
        raise Unavailable("The authorization server's answer holds no bearer token.")
    life = _life_seconds(document.get("expires_in"))
    return AccessToken(value, asked_at + max(life - leeway_seconds, life / 2), asked_at + life)


def _life_seconds(expires_in: Any) -> float:
    if isinstance(expires_in, str) and expires_in.isdecimal() and len(expires_in) < 10:
        return float(expires_in)  # some servers send a string
    if isinstance(expires_in, int | float) and not isinstance(expires_in, bool):
        return max(0.0, float(expires_in))
    return UNSTATED_LIFE_SECONDS


def _refusal(answer: Answer) -> ToolrosterError:
    if answer.status == httpx.codes.UNAUTHORIZED:
        return Unauthenticated("The authorization server does not accept this client's id and secret.")
    if answer.status < httpx.codes.BAD_REQUEST:  # a redirect would carry the secret elsewhere
        return Unavailable(f"The token endpoint answers {answer.status}; is its address right?")
    document = answer.document()
    if "error" not in document:
        return Unavailable(f"The token endpoint answers {answer.status}; is its address right?")
    said = _words(document["error"])
    detail = (
        f"The authorization server refuses a token: {said} {_words(document.get('error_description', ''))}"
    )
    return _REFUSALS.get(said, PermissionMissing)(detail.strip())


def _words(text: Any) -> str:
    """Return what a server said as one short line, fit for logs."""
    return "".join(character if character.isprintable() else " " for character in str(text)[:200])
