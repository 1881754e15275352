"""What the router is asked, by whom, and what is noted of it."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

LARGE_BYTES = 64 * 1024
"""From this size on, what is read is read in a thread: an event loop has others to serve."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent that calls. `scopes` None: not known here; the tool itself asks for them."""

    agent: str = ""
    agent_id: int | None = None
    user_id: int | None = None
    scopes: frozenset[str] | None = None
    roles: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a tool. `ref` is `[provider/]name[@range]` or a tool id.

    `timeout_seconds` is what the caller has left, None: as long as the tool's policy allows. `approval_id` is
    the id of an approval that was given for just this call.
    """

    call_id: str
    ref: str
    params: Mapping[str, Any] = field(repr=False)
    caller: Caller
    session_id: str = ""
    timeout_seconds: float | None = None
    approval_id: str = ""
    size: int = 0
    """Bytes of the arguments as they were sent, 0 where that is not known."""


class CallOutcome(StrEnum):
    """How a call ended."""

    OK = "OK"
    REFUSED = "REFUSED"
    """Not called: unknown, wrong, not permitted, or over a limit."""
    PENDING = "PENDING"
    """Not called yet: somebody has to approve."""
    UNAVAILABLE = "UNAVAILABLE"
    """Not called: nothing could serve it."""
    REJECTED = "REJECTED"
    """The tool said that the call is wrong."""
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"
    """The caller went away; what the tool did is not known."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What is noted of a call; sizes are bytes of JSON, `params` are None unless values may be kept."""

    call_id: str
    called_at: datetime
    agent: str
    ref: str
    outcome: CallOutcome
    agent_id: int | None = None
    user_id: int | None = None
    session_id: str = ""
    tool_id_asked: str = ""
    tool_id: str = ""
    instance: str = ""
    error_code: str = ""
    why: str = ""
    attempts: int = 0
    duration_ms: float = 0.0
    request_bytes: int = 0
    response_bytes: int = 0
    params_hash: str = ""
    params: Any = field(default=None, repr=False)


class Recorder(Protocol):
    """Takes what was called and what breakers did, without waiting."""

    def record(self, call: CallRecord) -> None:
        """Note a call."""

    def note_breaker(self, tool_id: str, instance: str, state: str, seconds: float) -> None:
        """Note that a breaker opened, for so many seconds, or closed."""


class Forgetful:
    """A recorder that notes nothing."""

    def record(self, call: CallRecord) -> None:
        """See `Recorder`."""

    def note_breaker(self, tool_id: str, instance: str, state: str, seconds: float) -> None:
        """See `Recorder`."""


def params_hash(params: Mapping[str, Any], *, key: bytes = b"") -> str:
    """Return the HMAC-SHA-256 (hex) of arguments; equal JSON objects have one, whatever their order.

    Without the key nobody can try out what small arguments were.
    """
    text = json.dumps(params, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
