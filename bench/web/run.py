"""`python -m bench web`: requests over HTTP, CPU of each process a request, and a load of many clients."""

import base64
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import median

from bench import data, plots
from bench.subjects import token as tokens
from bench.web import load
from bench.web.client import Connection, request
from bench.web.processes import cache_pid, cpu_ns, database_pid, serving

_BLOCK_SECONDS = 1.0
_LIST = "/api/tools/available"


@dataclass(slots=True)
class Asked:
    """One kind of request to one server, and what it cost: µs of CPU a request, a sample a round."""

    name: str
    port: int
    pid: int
    next_request: Callable[[], bytes]
    statuses: frozenset[int] = frozenset({200})
    web: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    cache: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)


def measure(*, rounds: int, output: Path, clients: int, seconds: int, say: Callable[[str], None]) -> None:
    """Measure, and write `web.json`, `web.md` and `web.svg` into a folder."""
    tokens.store_token()
    others = (database_pid(), cache_pid())
    with ExitStack() as stack:
        kinds = list(_kinds(stack))
        order = list(kinds)
        for number in range(1, rounds + 1):
            random.Random(number).shuffle(order)  # noqa: S311 - an order, no secret
            for asked in order:
                _sample(asked, others)
            say(f"  round {number} of {rounds}")
        ours = next(asked.port for asked in kinds if asked.name == "list, kept")
        beats = data.beats(200)
        loads = load.run(ours, clients=clients, seconds=seconds, token=tokens.TOKEN, instances=beats, say=say)
    output.mkdir(parents=True, exist_ok=True)
    table = markdown(kinds) + "\n\n" + load.markdown(loads)
    (output / "web.md").write_text(table + "\n")
    (output / "web.json").write_text(
        json.dumps({"requests": _json(kinds), "load": load.as_json(loads)}, indent=1)
    )
    plots.of_costs({"one request": _costs(kinds)}).savefig(output / "web.svg")
    say(f"\n{table}\n")


def _kinds(stack: ExitStack) -> Iterator[Asked]:
    """Start the servers, and return what they are asked."""
    ours = stack.enter_context(serving("config.asgi:application"))
    views = stack.enter_context(serving("config.wsgi:application"))
    first = request("GET", _LIST, token=tokens.TOKEN)
    yield from _yardsticks(stack, _body_of(ours[0], first))
    yield Asked("list, kept", *ours, lambda: first)
    tagged = request("GET", _LIST, token=tokens.TOKEN, headers={"If-None-Match": "*"})
    yield Asked("list, 304", *ours, lambda: tagged, frozenset({304}))
    yield Asked("list, kept, Django view", *views, lambda: first)
    numbers, beats = count(), data.beats(200)
    yield Asked("list, made", *ours, lambda: _miss(next(numbers)))
    yield Asked("resolve", *ours, lambda: _resolve(next(numbers)))
    yield Asked("heartbeat of 10 tools", *ours, lambda: _beat(beats[next(numbers) % len(beats)]))


def _yardsticks(stack: ExitStack, body: Path) -> Iterator[Asked]:
    """Serve the same bytes raw and from a view that does nothing, and the list of a naive registry."""
    known = {"BENCH_BODY": str(body), "DJANGO_SETTINGS_MODULE": "bench.web.settings"}
    raw = stack.enter_context(serving("bench.web.yardsticks:raw", **known))
    django = stack.enter_context(serving("bench.web.wsgi:application", **known))
    yield Asked("raw ASGI application", *raw, lambda: request("GET", "/"))
    yield Asked("constant Django view", *django, lambda: request("GET", "/constant"))
    naive = request("GET", "/naive", token=tokens.TOKEN)
    yield Asked("naive list (ModelSerializer, DOT)", *django, lambda: naive)


def _body_of(port: int, sent: bytes) -> Path:
    with Connection(port) as connection:
        body = connection.ask(sent).body
    path = Path(tempfile.mkstemp(prefix="toolroster-body-")[1])
    path.write_bytes(body)
    return path


def _miss(number: int) -> bytes:
    """Ask for a page that nobody asked for before."""
    place = base64.urlsafe_b64encode(f"bench-0:{number:08}".encode()).decode()
    return request("GET", f"{_LIST}?cursor={place}", token=tokens.TOKEN)


def _resolve(number: int) -> bytes:
    wanted = f"bench-{number % 4}/tool_{number % 4}_{number % 10}@^{1 + number % 5}"
    return request("GET", f"/api/tools/resolve?ref={wanted}", token=tokens.TOKEN)


def _beat(instance: tuple[str, list[str]]) -> bytes:
    name, ids = instance
    body = json.dumps({"tool_ids": ids, "provider_instance": name}).encode()
    return request("POST", "/api/tools/heartbeat", token=tokens.TOKEN, body=body)


def _sample(asked: Asked, others: tuple[int, int]) -> None:
    """Ask for a second, and note what each process used."""
    pids = (asked.pid, *others)
    with Connection(asked.port) as connection:
        for _ in range(20):
            connection.ask(asked.next_request())
        before = [cpu_ns(pid) for pid in pids]
        begun, number = time.perf_counter(), 0
        while time.perf_counter() - begun < _BLOCK_SECONDS:
            got = connection.ask(asked.next_request())
            if got.status not in asked.statuses:
                raise RuntimeError(f"{asked.name}: {got.status} {got.body[:300]!r}")
            number += 1
        seconds = time.perf_counter() - begun
        used = [(cpu_ns(pid) - then) / 1000 / number for pid, then in zip(pids, before, strict=True)]
    for samples, value in zip((asked.web, asked.database, asked.cache), used, strict=True):
        samples.append(value)
    asked.rate.append(number / seconds)


def markdown(kinds: list[Asked]) -> str:
    """Return a table: medians over the rounds, and ratios to the yardsticks."""
    by_name = _costs(kinds)
    head = (
        "| request | web CPU µs | PostgreSQL CPU µs | Valkey CPU µs | requests/s, one client | of raw | of a "
        "constant view | naive costs |\n| --- | --: | --: | --: | --: | --: | --: | --: |"
    )
    lines = []
    for asked in kinds:
        cpu = by_name[asked.name]
        shares = (
            cpu / by_name["raw ASGI application"],
            cpu / by_name["constant Django view"],
            by_name["naive list (ModelSerializer, DOT)"] / cpu,
        )
        costs = " | ".join(
            f"{median(one):,.0f}" for one in (asked.web, asked.database, asked.cache, asked.rate)
        )
        lines.append(f"| {asked.name} | {costs} | " + " | ".join(f"{share:.2f}x" for share in shares) + " |")
    return "\n".join([head, *lines])


def _costs(kinds: list[Asked]) -> dict[str, float]:
    return {asked.name: median(asked.web) + median(asked.database) for asked in kinds}


def _json(kinds: list[Asked]) -> dict[str, dict[str, list[float]]]:
    return {
        one.name: {"web": one.web, "database": one.database, "cache": one.cache, "rate": one.rate}
        for one in kinds
    }
