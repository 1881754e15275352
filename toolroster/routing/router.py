"""The router as an agent has it: `AsyncRouter` on its event loop, `Router` for code without one."""

import asyncio
import threading
import uuid
from collections.abc import Coroutine, Mapping
from typing import Any, Self, TypeVar

from toolroster.client.registry import Registry
from toolroster.routing.calls import Caller, Invocation
from toolroster.routing.catalogue import RegistryCatalogue
from toolroster.routing.engine import Engine, Plan
from toolroster.routing.parts import Parts
from toolroster.routing.registry_tokens import RegistryTokens
from toolroster.routing.result import ToolResult
from toolroster.routing.stores.memory import MemoryStore
from toolroster.routing.transport import HTTPTransport

T = TypeVar("T")


class AsyncRouter:
    """Calls tools of a registry from this process, with breakers and limits of its own.

    It calls private addresses as well: the agent's own network is its business. `parts` replaces all of it.
    """

    def __init__(
        self, registry: Registry | None = None, *, agent: str = "", parts: Parts | None = None
    ) -> None:
        self._transport = HTTPTransport()
        self._caller = Caller(agent)
        if parts is None:
            known = registry or Registry()
            catalogue = RegistryCatalogue(known, may_be_private=True)
            parts = Parts(catalogue, self._transport, MemoryStore(), tokens=RegistryTokens(known))
        self._engine = Engine(parts)

    async def invoke(
        self,
        tool: str,
        params: Mapping[str, Any],
        version_constraint: str | None = None,
        *,
        session_id: str = "",
        timeout_seconds: float | None = None,
    ) -> ToolResult:
        """Call a tool and return its result; see `Engine.invoke` for what is raised."""
        return await self._engine.invoke(
            self._call(tool, params, version_constraint, session_id, timeout_seconds)
        )

    async def plan(self, tool: str, params: Mapping[str, Any], version_constraint: str | None = None) -> Plan:
        """Return what a call would do; nothing is called."""
        return await self._engine.plan(self._call(tool, params, version_constraint, "", None))

    async def close(self) -> None:
        """Wait for what goes on behind answers, and close all connections."""
        await self._engine.settle()
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _call(
        self,
        tool: str,
        params: Mapping[str, Any],
        constraint: str | None,
        session_id: str,
        timeout_seconds: float | None,
    ) -> Invocation:
        ref = f"{tool}@{constraint}" if constraint else tool
        return Invocation(uuid.uuid4().hex, ref, params, self._caller, session_id, timeout_seconds)


class Router:
    """The same for code without an event loop; a thread of its own runs one.

    with Router(Registry("http://localhost:8006")) as router:
        router.invoke("calculator", {"expression": "17 * 23"}).content
    """

    def __init__(
        self, registry: Registry | None = None, *, agent: str = "", parts: Parts | None = None
    ) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="toolroster-router", daemon=True)
        self._thread.start()
        self._router = self._run(_made(registry, agent, parts))

    def invoke(
        self,
        tool: str,
        params: Mapping[str, Any],
        version_constraint: str | None = None,
        *,
        session_id: str = "",
        timeout_seconds: float | None = None,
    ) -> ToolResult:
        """See `AsyncRouter.invoke`."""
        return self._run(
            self._router.invoke(
                tool, params, version_constraint, session_id=session_id, timeout_seconds=timeout_seconds
            )
        )

    def plan(self, tool: str, params: Mapping[str, Any], version_constraint: str | None = None) -> Plan:
        """See `AsyncRouter.plan`."""
        return self._run(self._router.plan(tool, params, version_constraint))

    def close(self) -> None:
        """Close all connections and end the thread; a second time changes nothing."""
        if self._loop.is_closed():
            return
        self._run(self._router.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _made(registry: Registry | None, agent: str, parts: Parts | None) -> AsyncRouter:
    return AsyncRouter(registry, agent=agent, parts=parts)
