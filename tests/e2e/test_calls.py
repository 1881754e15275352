"""Calls through the real stack: tools that die and fail, limits, approval, and parts that are killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.embedded import addresses
from tests.stack import CHECKOUT, Stack, eventually, running
from tests.toolroster.routing.faulty import FaultyServer
from toolroster import Access, DiskCache, Registry
from toolroster.errors import ArgumentsInvalid, ToolNotFound
from toolroster.routing import Router

PROVIDER = '''
import sys
from toolroster import Provider, agent_tool

@agent_tool(name="{name}", description="Tell the weather of a city.", categories=["weather"],
            tags=["rainfall"], read_only=True, idempotent=True, liveness="heartbeat")
def weather(city: str) -> str:
    """Tell it."""
    return "{name}: sun over " + city

Provider(sys.argv[1], [weather], name="{name}-team").serve(is_open=True)
'''


@pytest.fixture(scope="module")
def faulty() -> Iterator[FaultyServer]:
    with FaultyServer().serving() as server:
        yield server


def provide(stack: Stack, folder: Path, name: str) -> "subprocess.Popen[bytes]":
    script = folder / f"{name}.py"
    script.write_text(PROVIDER.format(name=name), "utf-8")
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    process = subprocess.Popen([sys.executable, str(script), stack.url], env=environment)
    try:
        eventually(lambda: name in stack.tools())
    except BaseException:
        process.kill()
        process.wait(10)
        raise
    return process


def invoke(stack: Stack, tool: str, headers: dict[str, str] | None = None, **body: Any) -> httpx.Response:
    asked = {"tool": tool, "params": {"city": "Ulm"}, **body}
    return stack.client.post("/api/tools/invoke", json=asked, headers=headers)


def publish(stack: Stack, faulty: FaultyServer, path: str, name: str, **said: Any) -> None:
    document = {
        "provider": "faulty-team",
        "name": name,
        "parameters": [{"name": "city", "type": "string", "required": True}],
        "endpoint": {"url": faulty.url(path)},
        "policy": {"rate_limit_per_minute": 100_000},
        **said,
    }
    answer = stack.client.post("/api/tools/register", json=document)
    assert answer.is_success, answer.text


def test_a_tool_dies_its_sibling_serves_and_it_recovers(stack: Stack, tmp_path: Path) -> None:
    first, second = (provide(stack, tmp_path, name) for name in ("rainfall", "rain-radar"))
    try:
        assert invoke(stack, "rainfall").json()["result"] == "rainfall: sun over Ulm"
        first.kill()
        first.wait(10)
        told = invoke(stack, "rainfall").json()  # its lease lasts still: the connection is refused
        assert told["result"] == "rain-radar: sun over Ulm"
        assert "rainfall-team:rainfall:1.0.0 cannot serve" in told["why"]
        eventually(lambda: "rainfall" not in stack.tools())
        assert invoke(stack, "rainfall").json()["tool_id"] == "rain-radar-team:rain-radar:1.0.0"
        first = provide(stack, tmp_path, "rainfall")
        eventually(lambda: invoke(stack, "rainfall").json()["why"] == "")
    finally:
        first.kill()
        second.kill()
        first.wait(10)
        second.wait(10)


def test_a_tool_is_called_as_often_as_it_allows(stack: Stack, faulty: FaultyServer) -> None:
    publish(stack, faulty, "ok", "limited", policy={"rate_limit_per_minute": 3})

    statuses = [invoke(stack, "limited").status_code for _ in range(5)]
    refused = invoke(stack, "limited")

    assert statuses == [200, 200, 200, 429, 429]
    assert 1 <= int(refused.headers["retry-after"]) <= 60


def test_a_person_approves_a_call_in_between(stack: Stack, faulty: FaultyServer) -> None:
    publish(stack, faulty, "echo", "delicate", policy={"requires_approval": True})
    agent, operator = stack.bearer("safecracker"), stack.bearer("operator")

    waits = invoke(stack, "delicate", agent)
    approval = waits.json()["approval_id"]
    decided = stack.client.post(f"/api/approvals/{approval}/approve", json={}, headers=operator)
    done = invoke(stack, "delicate", agent, approval_id=approval)
    again = invoke(stack, "delicate", agent, approval_id=approval)

    assert [one.status_code for one in (waits, decided, done, again)] == [202, 200, 200, 409]
    assert done.json()["result"] == {"city": "Ulm"}


def test_an_agent_calls_through_a_router_of_its_own(stack: Stack, tmp_path: Path) -> None:
    client = next(one for one in stack.note()["clients"] if one["name"] == "safecracker")
    access = Access(client["client_id"], client["client_secret"])
    eventually(lambda: "calculator" in stack.tools())

    with (
        Registry(stack.url, access, cache=DiskCache(tmp_path)) as registry,
        Router(registry, agent="safecracker") as router,
    ):
        result = router.invoke("calculator", {"expression": "6 * 7"}, "^1.0")
        plan = router.plan("calculator", {"expression": "1"})
        with pytest.raises(ArgumentsInvalid) as wrong:
            router.invoke("calculator", {"expresion": "1"})
        with pytest.raises(ToolNotFound) as unknown:
            router.invoke("calculatr", {})

    assert (result.content, result.tool_id, result.why) == (42, "default:calculator:1.0.0", "")
    assert plan.tool_id == result.tool_id
    assert [fault.pointer for fault in wrong.value.errors] == ["/expresion", "/expression"]
    assert "calculator" in unknown.value.nearest


def test_an_agent_s_own_router_falls_back_from_a_dead_tool(stack: Stack, tmp_path: Path) -> None:
    process = provide(stack, tmp_path, "sunshine")
    other = provide(stack, tmp_path, "daylight")
    try:
        process.kill()
        process.wait(10)
        eventually(lambda: "sunshine" not in stack.tools())
        with Registry(stack.url, cache=DiskCache(tmp_path)) as registry, Router(registry) as router:
            result = router.invoke("sunshine", {"city": "Ulm"})
        assert result.tool_id == "daylight-team:daylight:1.0.0"
    finally:
        process.kill()
        other.kill()
        process.wait(10)
        other.wait(10)


class Load:
    """Clients that call tools of every kind until they are stopped, and what they were told."""

    def __init__(self, stack: Stack, tools: list[str]) -> None:
        self.told: dict[str, tuple[str, int]] = {}
        self.fine_ms: list[float] = []
        self.errors: list[str] = []
        self._stack = stack
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._call, args=(tool,)) for tool in tools]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)

    def _call(self, tool: str) -> None:
        with httpx.Client(base_url=self._stack.url, timeout=30) as client:
            while not self._over.is_set():
                begun = time.perf_counter()
                try:
                    body = {"tool": tool, "params": {"city": "Ulm"}, "session_id": "load"}
                    answer = client.post("/api/tools/invoke", json=body)
                except httpx.HTTPError as error:
                    self.errors.append(repr(error))
                    continue
                if tool == "fine":
                    self.fine_ms.append(1000 * (time.perf_counter() - begun))
                self.told[answer.headers["x-request-id"]] = (tool, answer.status_code)


KINDS = {
    "fine": "ok",
    "slowly": "slow",
    "broken": "500",
    "cut": "reset",
    "junk": "garbage",
    "stuck": "hang",
}


@pytest.fixture
def lonely() -> Iterator[Stack]:
    """A stack that is only for one story: its parts are killed."""
    with running(Stack) as stack:
        yield stack


def test_under_load_nothing_is_lost_or_doubled_while_worker_and_valkey_are_killed(
    lonely: Stack, faulty: FaultyServer
) -> None:
    for name, path in KINDS.items():
        publish(lonely, faulty, path, name, policy={"timeout_ms": 2000, "rate_limit_per_minute": 100_000})
    faulty.forget()

    with Load(lonely, [name for name in KINDS for _ in range(2)]) as load:
        time.sleep(2)
        before = sorted(load.fine_ms)
        socket = addresses.redis_url(lonely.home).rpartition("@")[2].partition("?")[0]
        worker = set(lonely.pids("-m celery", str(lonely.home)))
        worker -= set(lonely.pids("config.keep", str(lonely.home)))  # who starts it anew
        valkey = lonely.pids("valkey-server", socket)
        assert worker
        assert valkey
        for pid in (*worker, *valkey):
            os.kill(pid, signal.SIGKILL)
        time.sleep(4)

    assert not load.errors
    statuses = {tool: Counter(status for of, status in load.told.values() if of == tool) for tool in KINDS}
    assert set(statuses["fine"]) == {200}
    assert set(statuses["stuck"]) <= {504, 503}  # 503: its breaker is open
    assert before[len(before) // 2] < 250  # half of what a slow call takes
    assert max(Counter(faulty.by_id).values()) == 1  # nothing was called twice
    expected = Counter(tool for tool, _ in load.told.values())
    eventually(lambda: rows_of(lonely) == expected)


def rows_of(stack: Stack) -> Counter[str]:
    """Return how many calls the audit has of each tool."""
    query = {"provider": "faulty-team", "group_by": "tool"}
    rows = stack.client.get("/api/stats/usage", params=query).json()["results"]
    return Counter({row["name"]: row["calls"] for row in rows if row["name"] in KINDS})
