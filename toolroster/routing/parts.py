"""What a router is put together from: Protocols, each with an implementation for an agent's own process."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from toolroster.routing.approvals import Approvals, NobodyApproves
from toolroster.routing.breaker import BreakerRules
from toolroster.routing.calls import Caller, Forgetful, Recorder
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.catalogue import Catalogue
from toolroster.routing.stores import Store
from toolroster.routing.transport import Transport


class Tokens(Protocol):
    """Gives the token that a tool is shown: one for its own audience, never the caller's."""

    async def token_for(self, candidate: Candidate, instance: Instance, caller: Caller) -> str | None:
        """Return an access token for an instance of a tool that asks for scopes, None to show none.

        Raises:
            ToolrosterError: there is none for this caller.
        """

    async def refused(self, candidate: Candidate, instance: Instance, caller: Caller) -> None:
        """Hear that a tool did not take a token: another one is needed."""


class NoTokens:
    """For tools that ask for none."""

    async def token_for(self, candidate: Candidate, instance: Instance, caller: Caller) -> str | None:
        """See `Tokens`."""
        return None

    async def refused(self, candidate: Candidate, instance: Instance, caller: Caller) -> None:
        """See `Tokens`."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a router is put together from. `records_values`: arguments are noted, but nothing sensitive."""

    catalogue: Catalogue
    transport: Transport
    store: Store
    tokens: Tokens = field(default_factory=NoTokens)
    approvals: Approvals = field(default_factory=NobodyApproves)
    recorder: Recorder = field(default_factory=Forgetful)
    rules: BreakerRules = field(default_factory=BreakerRules)
    records_values: bool = False
    hash_key: bytes = field(default=b"", repr=False)
    most_running: int = 1000
    """Calls that run at once; one more is told to come back."""
    ticks: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.fromtimestamp(time.time(), UTC)
