"""The registry, asked from this thread."""

import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
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


class Registry:
    """A registry, as one caller sees it.

        with Registry("http://localhost:8006", access=Access(client_id, secret)) as registry:
            registry.search("send an e-mail")

    `access` is a token, or a client's id and secret. What is not given comes from the environment
    (`TOOLROSTER_URL`, `Access.of_environment`). Answers are kept in `cache`. Where the registry does not
    answer within `patience_seconds`, or cannot, the last known answer is given with its age, and the next
    one is fetched in the background. Without one a call waits `timeout_seconds` and raises Unavailable.
    """

    def __init__(
        self,
        url: str | None = None,
        access: Access | str | None = None,
        *,
        cache: DiskCache | None = None,
        is_cached: bool = True,
        patience_seconds: float = PATIENCE_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._given = (url, access, (cache or DiskCache()) if is_cached else None)
        self._exchange = Exchange.of(*self._given)
        self.caller = Caller(lambda: self._exchange.auth, transport=transport)
        """Calls tools with this caller's token."""
        self._patience = patience_seconds
        self._transport = transport
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None
        self._pid = os.getpid()
        self._refreshing: dict[str, Future[Told]] = {}

    @property
    def url(self) -> str:
        return self._exchange.url

    @property
    def auth(self) -> httpx.Auth | None:
        """How requests of this caller are authenticated, in httpx's words."""
        return self._exchange.auth

    def available(self, **filters: Unpack[Filters]) -> Listed:
        """Return all that can be used now."""
        return self._run(calls.available(filters))

    def search(self, query: str, *, top_k: int = 10, **filters: Unpack[Filters]) -> Results:
        """Return what fits a request best: `{tool, similarity, score, why, near_duplicates}`."""
        return self._run(calls.search(query, top_k, filters))

    def resolve(self, ref: str, *, include_prerelease: bool = False) -> Registration:
        """Return the newest live version that a reference `[provider/]name[@range]` means.

        Raises:
            ToolNotFound, NoMatchingVersion, ToolUnavailable, RangeInvalid: as the registry says.
            Unavailable: the registry does not answer, and nothing that is known fits.
        """
        known = self._exchange.everything_kept()
        return self._run(calls.resolve(ref, include_prerelease=include_prerelease, known=known))

    def get(self, tool_id: str) -> Registration:
        """Return one version by its id, alive or not."""
        return self._run(calls.get(tool_id))

    def versions(self, provider: str, name: str) -> Listed:
        """Return all versions of a tool, the highest first."""
        return self._run(calls.versions(provider, name))

    def discover(self) -> Told:
        """Return the answer of seeds/000's `GET /`, from any server that speaks its protocol."""
        return self._run(calls.discover())

    def call(self, tool: str | Registration, /, **arguments: Any) -> Any:
        """Call a tool, by a reference or as it was found, and return its result; see `Caller.call`."""
        found = self.resolve(tool) if isinstance(tool, str) else tool
        return self.caller.call(Target.of(found), arguments)

    def tool_token(self, tool_id: str) -> ToolToken:
        """Return a token for one tool's own audience, with as much of this caller's scopes as opens it.

        Raises:
            InsufficientScope: this caller has none of its scopes.
        """
        return self._run(consuming.tool_token(tool_id))

    def report_usage(self, statistics: Mapping[str, Any]) -> int:
        """Tell how often this agent called which tool itself (seeds/000), since it told last."""
        return self._run(consuming.report_usage(statistics))

    def stats(self) -> Stats:
        """Return the statistics of the registry."""
        return self._run(calls.stats())

    def bindings(self) -> Bindings:
        """Return what this agent declared, and the versions that it is bound to."""
        return self._run(consuming.bindings())

    def declare(self, refs: Sequence[str]) -> Bindings:
        """Make references all that this agent uses; a version stays while its range holds it."""
        return self._run(consuming.declare(refs))

    def inbox(self, *, after: str | None = None, limit: int = 100, wait_seconds: int = 0) -> Events:
        """Return what concerns this agent, behind a place (`next`) or behind what it acknowledged.

        Where there is nothing the registry may wait for the first event, at most 30 s.
        """
        return self._run(consuming.inbox(after, limit, wait_seconds))

    def acknowledge(self, upto: str) -> Events:
        """Note that everything before a place (`next`) was read, and return what is left."""
        return self._run(consuming.acknowledge(upto))

    def events(self, *, after: str | None = None, limit: int = 100, wait_seconds: int = 0) -> Events:
        """Return what happened to the tools that this caller may see, behind a place; see `inbox`."""
        return self._run(consuming.events(after, limit, wait_seconds))

    def close(self) -> None:
        """Close all connections; the next call opens new ones."""
        self.caller.close()
        with self._lock:
            client, self._client = self._client, None
        if client is not None and self._transport is None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, operation: Operation[T]) -> T:
        try:
            ask = next(operation)
            while True:
                try:
                    told = self._told(ask)
                except Unavailable as error:
                    ask = operation.throw(error)
                else:
                    ask = operation.send(told)
        except StopIteration as end:
            result: T = end.value
            return result

    def _told(self, ask: Ask) -> Told:
        if self._pid != os.getpid():
            self._begin_anew()
        kept = self._exchange.kept(ask)
        if kept is None:
            return self._asked(ask, None)
        try:
            return self._refresh(ask, kept).result(self._patience)
        except TimeoutError:
            return self._exchange.told(kept)
        except Unavailable as error:
            if not is_away(error):
                raise
            return self._exchange.told(kept)

    def _begin_anew(self) -> None:
        """Share nothing with the process that this one was forked from: no connection, lock or refresh."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._client = None
        self._refreshing = {}
        self._exchange = Exchange.of(*self._given)

    def _refresh(self, ask: Ask, kept: Entry) -> "Future[Told]":
        """Ask in the background, once for all who want to know; what comes back is kept."""
        future: Future[Told] = Future()
        with self._lock:
            if (running := self._refreshing.get(ask.key)) is not None:
                return running
            self._refreshing[ask.key] = future
        threading.Thread(target=self._refreshed, args=(ask, kept, future), daemon=True).start()
        return future

    def _refreshed(self, ask: Ask, kept: Entry, future: "Future[Told]") -> None:
        try:
            told = self._asked(ask, kept)
        except Exception as error:  # noqa: BLE001 - it goes to who waits
            self._land(ask)
            future.set_exception(error)
        else:
            self._land(ask)
            future.set_result(told)

    def _land(self, ask: Ask) -> None:
        with self._lock:
            self._refreshing.pop(ask.key, None)

    def _asked(self, ask: Ask, kept: Entry | None) -> Told:
        try:
            with self._http().stream(**self._exchange.request(ask, kept)) as response:
                answer = self._exchange.body().whole(response, response.iter_bytes())
        except httpx.HTTPError as error:
            raise self._exchange.no_answer(error) from error
        return self._exchange.take(ask, kept, answer)

    def _http(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                self._client = httpx.Client(transport=self._transport, timeout=TIMEOUT_SECONDS)
            return self._client
