"""The router of this process, made from settings. Read by interfaces only; here the clock is read for it."""

import asyncio
import hashlib
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings
from django.utils import timezone

from consumers.services.calling import (
    PlatformApprovals,
    PlatformCatalogue,
    PlatformTokens,
    Surroundings,
    Threads,
)
from consumers.services.recording import CallLog
from oauth.principal import Principal
from registry import conf
from registry.services import leases
from registry.services.resolution import Asking
from registry.services.routes import Reach
from toolroster.routing.breaker import BreakerRules
from toolroster.routing.engine import Engine
from toolroster.routing.parts import Parts
from toolroster.routing.stores.failover import Failover
from toolroster.routing.stores.near import Near
from toolroster.routing.stores.valkey import ValkeyStore
from toolroster.routing.transport import HTTPTransport

T = TypeVar("T")

_THREADS = 4
_STORE_SECONDS = 0.5
"""How long a call waits for Valkey before it goes on without; see `Failover`."""


@dataclass(frozen=True, slots=True)
class Running:
    """A router on an event loop, and what belongs to that loop."""

    engine: Engine
    transport: HTTPTransport
    store: ValkeyStore

    async def close(self) -> None:
        """Wait for what goes on behind answers, and close all connections."""
        await self.engine.settle()
        await self.transport.close()
        await self.store.close()


_running: WeakKeyDictionary[asyncio.AbstractEventLoop, Running] = WeakKeyDictionary()


@cache
def threads() -> Threads:
    """Return the threads in which routers ask the database."""
    return Threads(_THREADS)


@cache
def call_log() -> CallLog:
    """Return where this process notes calls."""
    return CallLog(timezone.now)


def running() -> Running:
    """Return the router of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _running:
        _running[loop] = _made()
    return _running[loop]


async def close() -> None:
    """Close the router of the running event loop, and write what was noted."""
    await close_router()
    call_log().close()


async def close_router() -> None:
    """Close the router of the running event loop; the next call makes one anew, with the settings of then."""
    if (found := _running.pop(asyncio.get_running_loop(), None)) is not None:
        await found.close()


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on an event loop of this process that serves its threads: for views of Django."""
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="routing-loop", daemon=True).start()
    return loop


def _made() -> Running:
    around = Surroundings(
        asking=_asking,
        now=timezone.now,
        addresses=Reach(private_for_all=settings.PRIVATE_ADDRESSES == "all"),
        approval_seconds=settings.APPROVAL_SECONDS,
        hash_key=_hash_key(),
        is_kept=settings.LISTS_ARE_KEPT,
    )
    transport, store = HTTPTransport(), ValkeyStore(settings.REDIS_URL, seconds=_STORE_SECONDS)
    parts = Parts(
        catalogue=PlatformCatalogue(threads(), around),
        transport=transport,
        store=Near(Failover(store)),
        tokens=PlatformTokens(threads(), around),
        approvals=PlatformApprovals(threads(), around),
        recorder=call_log(),
        rules=BreakerRules(**settings.BREAKER),
        records_values=settings.RECORD_ARGUMENTS,
        hash_key=_hash_key(),
        now=timezone.now,
    )
    return Running(Engine(parts), transport, store)


@cache
def _hash_key() -> bytes:
    """Return the key of hashes of arguments: without it nobody tries out what small ones were."""
    return hashlib.sha256(f"toolroster.arguments {settings.SECRET_KEY}".encode()).digest()


def _asking(principal: Principal) -> Asking:
    policy = conf.lease_policy()
    seen = leases.recent.at(now=timezone.now(), policy=policy)
    return Asking(principal, seen.cutoff, policy.heartbeat_seconds)
