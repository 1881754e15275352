"""The router's parts on the platform: its catalogue, its tokens and its approvals, as one caller has them.

Whatever asks the database does so in a thread of a small pool, which gives its connection back before the
tool is called: none is held meanwhile.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from threading import Barrier
from typing import Any, TypeVar

from django.db import close_old_connections

from consumers.services import approvals
from oauth import tool_tokens
from oauth.principal import Principal, Reach, everything
from registry.models import ToolRegistration
from registry.services import generations, routes
from registry.services.resolution import Asking
from registry.services.routes import Reach as Addresses
from toolroster.cache import Cache
from toolroster.routing.calls import Caller, Invocation
from toolroster.routing.candidates import Candidate, Instance
from toolroster.routing.catalogue import Found, Sibling

T = TypeVar("T")

KEPT_SECONDS = 2.0
"""How long a route is kept while nothing changes: so late is a lease seen to end."""
_NAMES = generations.names_of(())


@dataclass(frozen=True, slots=True)
class PlatformCaller(Caller):
    """A caller, and the principal that the one visibility rule asks for."""

    principal: Principal = field(default_factory=everything)

    @classmethod
    def of(cls, principal: Principal) -> "PlatformCaller":
        """Return who calls. In development who sends no token may call all that it sees (seeds/000)."""
        is_open = principal.reach is Reach.EVERYTHING
        return cls(
            agent=principal.client_id,
            agent_id=principal.application_id,
            user_id=principal.user_id,
            scopes=None if is_open else principal.scopes,
            roles=None if is_open else principal.roles,
            principal=principal,
        )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the parts need of settings and time: `asking` looks at the leases as they are now."""

    asking: Callable[[Principal], Asking]
    now: Callable[[], datetime]
    addresses: Addresses
    approval_seconds: int
    hash_key: bytes = field(repr=False)
    is_kept: bool


class Threads:
    """A few threads for questions to the database."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="routing")
        self._together = Barrier(threads)

    def close(self, goodbye: Callable[[], None]) -> None:
        """Let each thread say goodbye, and go on: it gives back what it holds."""

        def end() -> None:
            goodbye()
            self._together.wait(10)

        list(self._pool.map(lambda _: end(), range(self._together.parties)))

    async def run(self, ask: Callable[[], T]) -> T:
        """Return what a function returns that runs in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, _with_connection, ask)


def _with_connection(ask: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return ask()
    finally:
        close_old_connections()


class PlatformCatalogue:
    """The registry, as the router asks it (`toolroster.routing.Catalogue`)."""

    def __init__(self, threads: Threads, around: Surroundings) -> None:
        self._threads = threads
        self._around = around
        self._kept: Cache[Found] = Cache(20_000)
        self._siblings: Cache[Sequence[Sibling]] = Cache(2_000)

    async def find(self, ref: str, caller: Caller) -> Found:
        """See `Catalogue`. What is kept ends with any change of the registry, as lists do."""
        principal = _principal(caller)
        seen = await self._generations()
        now = self._around.now().timestamp()
        key = f"{seen} {principal.visibility_key} {ref}"
        if seen is not None and (known := self._kept.get(key, now=now)) is not None:
            return known
        found = await self._threads.run(lambda: self._find(ref, principal))
        if seen is not None:
            self._kept.put(key, found, until=now + KEPT_SECONDS)
        return found

    async def siblings(self, candidate: Candidate, caller: Caller) -> Sequence[Sibling]:
        """See `Catalogue`. They are kept as well: of a dead tool each call asks for them."""
        principal, around = _principal(caller), self._around
        seen, now = await self._generations(), around.now().timestamp()
        key = f"{seen} {principal.visibility_key} {candidate.tool_id}"
        if seen is not None and (known := self._siblings.get(key, now=now)) is not None:
            return known
        found = await self._threads.run(
            lambda: routes.siblings(
                candidate.tool_id, asking=around.asking(principal), reach=around.addresses
            )
        )
        if seen is not None:
            self._siblings.put(key, found, until=now + KEPT_SECONDS)
        return found

    def _find(self, ref: str, principal: Principal) -> Found:
        return routes.find(ref, asking=self._around.asking(principal), reach=self._around.addresses)

    async def _generations(self) -> tuple[int, ...] | None:
        if not self._around.is_kept:
            return None
        known = generations.shared.known(_NAMES)
        return known or await self._threads.run(lambda: generations.shared.of(()))


class PlatformTokens:
    """Gives tools tokens of their own (`toolroster.routing.Tokens`)."""

    def __init__(self, threads: Threads, around: Surroundings) -> None:
        self._threads = threads
        self._now = around.now

    async def token_for(self, candidate: Candidate, instance: Instance, caller: Caller) -> str | None:
        """See `Tokens`. Who needs no token to call in development has none to show."""
        principal = _principal(caller)
        if principal.application_id is None and caller.scopes is None:
            return None
        wanted: dict[str, Any] = {"audience": candidate.audience_at(instance), "scopes": candidate.scopes}
        now = self._now()
        known = tool_tokens.known(principal, **wanted, now=now)
        if known is None:
            known = await self._threads.run(lambda: tool_tokens.give(principal, **wanted, now=now))
        return known.token

    async def refused(self, candidate: Candidate, instance: Instance, caller: Caller) -> None:
        """See `Tokens`."""
        principal = _principal(caller)
        tool_tokens.drop(principal, audience=candidate.audience_at(instance), scopes=candidate.scopes)


class PlatformApprovals:
    """Asks people (`toolroster.routing.Approvals`)."""

    def __init__(self, threads: Threads, around: Surroundings) -> None:
        self._threads = threads
        self._around = around

    async def check(self, candidate: Candidate, params: Mapping[str, Any], call: Invocation) -> None:
        """See `Approvals`."""
        wanted = approvals.Wanted(
            principal=_principal(call.caller),
            tool_id=candidate.tool_id,
            params=params,
            schema=candidate.input_schema,
            session_id=call.session_id,
            hash_key=self._around.hash_key,
        )
        now, seconds = self._around.now(), self._around.approval_seconds
        await self._threads.run(lambda: approvals.check(call.approval_id, wanted, now=now, seconds=seconds))

    async def use(self, call: Invocation) -> None:
        """See `Approvals`."""
        now = self._around.now()
        await self._threads.run(lambda: approvals.use(call.approval_id, call_id=call.call_id, now=now))

    async def give_back(self, call: Invocation) -> None:
        """See `Approvals`."""
        await self._threads.run(lambda: approvals.give_back(call.approval_id, call_id=call.call_id))


def _principal(caller: Caller) -> Principal:
    if not isinstance(caller, PlatformCaller):
        raise TypeError("The platform's parts serve its own callers.")
    return caller.principal


def ref_of_flat_name(name: str, *, principal: Principal) -> str:
    """Return the reference of a name in the flat list: `name`, `provider__name` or `provider:name`."""
    provider, colon, tool = name.partition(":")
    if colon:
        return f"{provider}/{tool}"
    provider, dunder, tool = name.partition("__")
    if not dunder or ToolRegistration.objects.visible_to(principal).filter(of_tool__name=name).exists():
        return name
    return f"{provider}/{tool}"
