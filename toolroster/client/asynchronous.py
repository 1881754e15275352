"""The registry, asked from an event loop."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar, Unpack

import httpx

from toolroster.access import Access
from toolroster.client import calls, consuming
from toolroster.client.answers import Listed, Registration, Results, Stats, is_away
from toolroster.client.calling import Caller, Target
from toolroster.client.calls import Ask, Operation, Told
from toolroster.client.consuming import Bindings, Events, ToolToken
from toolroster.client.disk import DiskCache, Entry
from toolroster.client.exchange import PATIENCE_SECONDS, TIMEOUT_SECONDS, Exchange, Filters
from toolroster.errors import Unavailable

T = TypeVar("T")


class AsyncRegistry:
    """The same as `Registry`, for one event loop: `async with AsyncRegistry(url) as registry: …`."""

    def __init__(
        self,
        url: str | None = None,
        access: Access | str | None = None,
        *,
        cache: DiskCache | None = None,
        is_cached: bool = True,
        patience_seconds: float = PATIENCE_SECONDS,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._exchange = Exchange.of(url, access, (cache or DiskCache()) if is_cached else None)
        self.caller = Caller(lambda: self._exchange.auth, async_transport=transport)
        """Calls tools with this caller's token."""
        self._patience = patience_seconds
        self._transport = transport
        self._client: httpx.AsyncClient | None = None
        self._refreshing: dict[str, asyncio.Task[Told]] = {}

    @property
    def auth(self) -> httpx.Auth | None:
        """How requests of this caller are authenticated, in httpx's words."""
        return self._exchange.auth

    @property
    def url(self) -> str:
        return self._exchange.url

    async def available(self, **filters: Unpack[Filters]) -> Listed:
        """Return all that can be used now."""
        return await self._run(calls.available(filters))

    async def search(self, query: str, *, top_k: int = 10, **filters: Unpack[Filters]) -> Results:
        """Return what fits a request best: `{tool, similarity, score, why, near_duplicates}`."""
        return await self._run(calls.search(query, top_k, filters))

    async def resolve(self, ref: str, *, include_prerelease: bool = False) -> Registration:
        """Return the newest live version that a reference means; see `Registry.resolve`."""
        known = self._exchange.everything_kept()
        return await self._run(calls.resolve(ref, include_prerelease=include_prerelease, known=known))

    async def get(self, tool_id: str) -> Registration:
        """Return one version by its id, alive or not."""
        return await self._run(calls.get(tool_id))

    async def versions(self, provider: str, name: str) -> Listed:
        """Return all versions of a tool, the highest first."""
        return await self._run(calls.versions(provider, name))

    async def discover(self) -> Told:
        """Return the answer of seeds/000's `GET /`, from any server that speaks its protocol."""
        return await self._run(calls.discover())

    async def call(self, tool: str | Registration, /, **arguments: Any) -> Any:
        """Call a tool, by a reference or as it was found, and return its result; see `Caller.call`."""
        found = await self.resolve(tool) if isinstance(tool, str) else tool
        return await self.caller.call_async(Target.of(found), arguments)

    async def tool_token(self, tool_id: str) -> ToolToken:
        """See `Registry.tool_token`."""
        return await self._run(consuming.tool_token(tool_id))

    async def report_usage(self, statistics: Mapping[str, Any]) -> int:
        """See `Registry.report_usage`."""
        return await self._run(consuming.report_usage(statistics))

    async def stats(self) -> Stats:
        """Return the statistics of the registry."""
        return await self._run(calls.stats())

    async def bindings(self) -> Bindings:
        """Return what this agent declared, and the versions that it is bound to."""
        return await self._run(consuming.bindings())

    async def declare(self, refs: Sequence[str]) -> Bindings:
        """Make references all that this agent uses; a version stays while its range holds it."""
        return await self._run(consuming.declare(refs))

    async def inbox(self, *, after: str | None = None, limit: int = 100, wait_seconds: int = 0) -> Events:
        """Return what concerns this agent, behind a place (`next`) or behind what it acknowledged.

        Where there is nothing the registry may wait for the first event, at most 30 s.
        """
        return await self._run(consuming.inbox(after, limit, wait_seconds))

    async def acknowledge(self, upto: str) -> Events:
        """Note that everything before a place (`next`) was read, and return what is left."""
        return await self._run(consuming.acknowledge(upto))

    async def events(self, *, after: str | None = None, limit: int = 100, wait_seconds: int = 0) -> Events:
        """Return what happened to the tools that this caller may see, behind a place; see `inbox`."""
        return await self._run(consuming.events(after, limit, wait_seconds))

    async def close(self) -> None:
        """Close all connections and give up what is fetched in the background."""
        self.caller.close()
        for task in list(self._refreshing.values()):
            task.cancel()
        client, self._client = self._client, None
        if client is not None and self._transport is None:
            await client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, operation: Operation[T]) -> T:
        try:
            ask = next(operation)
            while True:
                try:
                    told = await self._told(ask)
                except Unavailable as error:
                    ask = operation.throw(error)
                else:
                    ask = operation.send(told)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _told(self, ask: Ask) -> Told:
        kept = self._exchange.kept(ask)
        if kept is None:
            return await self._asked(ask, None)
        try:
            return await asyncio.wait_for(asyncio.shield(self._refresh(ask, kept)), self._patience)
        except TimeoutError:
            return self._exchange.told(kept)
        except Unavailable as error:
            if not is_away(error):
                raise
            return self._exchange.told(kept)

    def _refresh(self, ask: Ask, kept: Entry) -> "asyncio.Task[Told]":
        """Ask in the background, once for all who want to know; what comes back is kept."""
        if ask.key not in self._refreshing:
            task = asyncio.create_task(self._asked(ask, kept))
            self._refreshing[ask.key] = task
            task.add_done_callback(lambda done: self._land(ask, done))
        return self._refreshing[ask.key]

    def _land(self, ask: Ask, task: "asyncio.Task[Told]") -> None:
        self._refreshing.pop(ask.key, None)
        if not task.cancelled():
            task.exception()  # who waits was told; nobody else has to hear of it

    async def _asked(self, ask: Ask, kept: Entry | None) -> Told:
        try:
            async with self._http().stream(**self._exchange.request(ask, kept)) as response:
                answer = await self._exchange.body().whole_async(response, response.aiter_bytes())
        except httpx.HTTPError as error:
            raise self._exchange.no_answer(error) from error
        return self._exchange.take(ask, kept, answer)

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = httpx.AsyncClient(transport=self._transport, timeout=TIMEOUT_SECONDS)
        return self._client
