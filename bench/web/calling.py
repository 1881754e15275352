"""`python -m bench calls`: a call through the router, beside a direct one and one through a plain proxy."""

import json
import random
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from bench import data
from bench.subjects import token as tokens
from bench.web.client import Connection, request
from bench.web.processes import cache_pid, cpu_ns, database_pid, serving
from oauth.principal import everything
from registry.services import registration
from registry.services.registration import Registering

_SECONDS = 2.0
_CLIENTS = 16
_PARAMS = {"expression": "17 * 23"}


@dataclass(slots=True)
class Way:
    """One way to call the tool, and what it cost: seconds of one client's calls, calls a second of many."""

    name: str
    port: int
    pid: int
    sent: bytes
    seconds: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)
    cpu: list[tuple[float, float, float]] = field(default_factory=list)
    """µs of the server, PostgreSQL and Valkey a call, a sample a round."""


def measure(*, rounds: int, output: Path, say: Callable[[str], None]) -> None:
    """Measure, and write `calls.json` and `calls.md` into a folder."""
    tokens.store_token()
    with ExitStack() as stack:
        ways = _ways(stack)
        others = (database_pid(), cache_pid())
        for number in range(1, rounds + 1):
            for way in random.Random(number).sample(ways, len(ways)):  # noqa: S311 - an order, no secret
                _alone(way)
                _together(way, others)
            say(f"  round {number} of {rounds}")
    table = markdown(ways)
    output.mkdir(parents=True, exist_ok=True)
    (output / "calls.md").write_text(table + "\n")
    told = {way.name: {"seconds": way.seconds, "rate": way.rate, "cpu": way.cpu} for way in ways}
    (output / "calls.json").write_text(json.dumps(told))
    say(f"\n{table}\n")


def _ways(stack: ExitStack) -> list[Way]:
    tool = stack.enter_context(serving("bench.web.callees:tool"))
    url = f"http://127.0.0.1:{tool[0]}/tools/calculator"
    proxy = stack.enter_context(serving("bench.web.callees:proxy", BENCH_TOOL=url))
    other = stack.enter_context(serving("bench.web.callees:httpx_proxy", BENCH_TOOL=url))
    _register("calculator", url)
    ours = stack.enter_context(serving("config.asgi:application"))
    arguments = json.dumps(_PARAMS).encode()
    invoked = json.dumps({"tool": "calculator", "params": _PARAMS}).encode()
    return [
        Way("direct", *tool, request("POST", "/tools/calculator", token=tokens.TOKEN, body=arguments)),
        Way("plain proxy", *proxy, request("POST", "/", token=tokens.TOKEN, body=arguments)),
        Way("plain proxy, httpx", *other, request("POST", "/", token=tokens.TOKEN, body=arguments)),
        Way("router", *ours, request("POST", "/api/tools/invoke", token=tokens.TOKEN, body=invoked)),
        Way("router, /call", *ours, request("POST", "/call/calculator", token=tokens.TOKEN, body=arguments)),
    ]


def _register(name: str, url: str) -> None:
    document = {
        "provider": "bench-tools",
        "name": name,
        "parameters": [{"name": "expression", "type": "string", "required": True}],
        "scopes": ["bench:use"],
        "endpoint": {"url": url},
        "policy": {"rate_limit_per_minute": 1_000_000},
        "capabilities": {"read_only": True},
        "liveness": "none",
    }
    by = Registering(principal=everything(), now=data.NOW, review_required=False)
    (outcome,) = registration.register([document], by=by)
    if outcome.problem:
        raise outcome.problem


def _alone(way: Way) -> None:
    """Note how long the calls of one client take."""
    with Connection(way.port) as connection:
        for place in range(300):
            begun = time.perf_counter()
            got = connection.ask(way.sent)
            if place >= 50:
                way.seconds.append(time.perf_counter() - begun)
            if got.status != 200:
                raise RuntimeError(f"{way.name}: {got.status} {got.body[:300]!r}")


def _together(way: Way, others: tuple[int, int]) -> None:
    """Note how many calls a second many clients get answered, and the CPU that they cost."""
    counts = [0] * _CLIENTS
    pids = (way.pid, *others)
    before, begun = [cpu_ns(pid) for pid in pids], time.perf_counter()
    end = begun + _SECONDS
    threads = [threading.Thread(target=_ask, args=(way, end, counts, place)) for place in range(_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = sum(counts)
    way.rate.append(total / (time.perf_counter() - begun))
    web, database, cache = (
        (cpu_ns(pid) - then) / 1000 / total for pid, then in zip(pids, before, strict=True)
    )
    way.cpu.append((web, database, cache))


def _ask(way: Way, end: float, counts: list[int], place: int) -> None:
    with Connection(way.port) as connection:
        while time.perf_counter() < end:
            if connection.ask(way.sent).status == 200:
                counts[place] += 1


def markdown(ways: list[Way]) -> str:
    """Return a table: times of one client, calls a second of many, CPU, and ratios in this run."""
    direct, proxy = ways[0], ways[1]
    head = (
        "| call | p50 ms | p95 ms | p50 over direct ms | calls/s, 16 clients | of the proxy's | server CPU "
        "| PostgreSQL CPU µs | Valkey CPU µs |\n| --- | --: | --: | --: | --: | --: | --: | --: | --: |"
    )
    lines = []
    for way in ways:
        cuts = [1000 * cut for cut in quantiles(way.seconds, n=20)]
        over = cuts[9] - 1000 * median(direct.seconds)
        rate = median(way.rate)
        cpu = " | ".join(f"{median(one):,.0f}" for one in zip(*way.cpu, strict=True))
        lines.append(
            f"| {way.name} | {cuts[9]:.2f} | {cuts[18]:.2f} | {over:.2f} | {rate:,.0f} "
            f"| {rate / median(proxy.rate):.2f} | {cpu} |"
        )
    return "\n".join([head, *lines])
