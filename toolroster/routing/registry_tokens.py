"""Tokens for tools, from the registry: it gives an agent one for a tool's own audience (RFC 8707)."""

import asyncio
import time

from toolroster.cache import Cache
from toolroster.client.registry import Registry
from toolroster.routing.calls import Caller
from toolroster.routing.candidates import Candidate, Instance

_SPARE_SECONDS = 30.0


class RegistryTokens:
    """A `Tokens` that asks the registry and keeps what it gave until shortly before its end."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._kept: Cache[str] = Cache(10_000)

    async def token_for(self, candidate: Candidate, instance: Instance, caller: Caller) -> str | None:
        """See `Tokens`."""
        known = self._kept.get(candidate.tool_id, now=time.monotonic())
        if known is not None:
            return known
        loop = asyncio.get_running_loop()
        given = await loop.run_in_executor(None, lambda: self._registry.tool_token(candidate.tool_id))
        self._kept.put(
            candidate.tool_id, given.token, until=time.monotonic() + given.seconds - _SPARE_SECONDS
        )
        return given.token

    async def refused(self, candidate: Candidate, instance: Instance, caller: Caller) -> None:
        """See `Tokens`."""
        self._kept.put(candidate.tool_id, "", until=0.0)
