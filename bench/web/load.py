"""Many clients at once: lists, resolutions, searches and beats, mixed; each asks on once it is answered."""

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from statistics import quantiles

from bench.web.client import Connection, request

_MIX = {"list": 40, "list, 304": 10, "resolve": 30, "heartbeat": 15, "search": 5}
"""Shares, in per cent."""
_QUERIES = (
    "send a message",
    "schicke eine Nachricht",
    "发送消息",
    "deliver something to somebody",
    "weather",
)


@dataclass(slots=True)
class Loads:
    """Seconds that answers took, by kind, and what went wrong."""

    clients: int
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    put_off: list[str] = field(default_factory=list)
    """Kinds of requests that were answered by 503 and `Retry-After`: the server had enough to do."""
    lasted: float = 0.0


def run(
    port: int,
    *,
    clients: int,
    seconds: int,
    token: str,
    instances: Sequence[tuple[str, list[str]]],
    say: Callable[[str], None],
) -> Loads:
    """Put the load on a server, and return what its clients saw."""
    loads, end = Loads(clients), time.monotonic() + seconds
    say(f"  {clients} clients for {seconds} s")
    threads = [
        threading.Thread(target=_client, args=(port, number, end, token, instances, loads))
        for number in range(clients)
    ]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loads.lasted = time.monotonic() - begun
    return loads


def _client(
    port: int, number: int, end: float, token: str, instances: Sequence[tuple[str, list[str]]], loads: Loads
) -> None:
    dice = random.Random(number)  # noqa: S311 - a mix, no secret
    try:
        with Connection(port) as connection:
            while time.monotonic() < end:
                (kind,) = dice.choices(list(_MIX), list(_MIX.values()))
                sent = _request(kind, dice, token, instances)
                begun = time.perf_counter()
                got = connection.ask(sent)
                if got.status == HTTPStatus.SERVICE_UNAVAILABLE:
                    loads.put_off.append(kind)
                    time.sleep(1)
                    continue
                loads.seconds[kind].append(time.perf_counter() - begun)
                if got.status not in {200, 304}:
                    loads.errors.append(f"{kind}: {got.status} {got.body[:200]!r}")
    except OSError as error:
        loads.errors.append(f"client {number}: {error}")


_TAGGED = {"If-None-Match": "*"}


def _request(kind: str, dice: random.Random, token: str, instances: Sequence[tuple[str, list[str]]]) -> bytes:
    if kind.startswith("list"):
        headers = _TAGGED if kind.endswith("304") else {}
        return request("GET", "/api/tools/available", token=token, headers=headers)
    if kind == "resolve":
        provider, tool = dice.randrange(4), dice.randrange(10)
        wanted = f"bench-{provider}/tool_{provider}_{tool}@^{dice.randrange(1, 6)}"
        return request("GET", f"/api/tools/resolve?ref={wanted}", token=token)
    if kind == "search":
        body = json.dumps({"query": dice.choice(_QUERIES), "top_k": 5}).encode()
        return request("POST", "/api/tools/search", token=token, body=body)
    instance, ids = dice.choice(instances)
    body = json.dumps({"tool_ids": ids, "provider_instance": instance}).encode()
    return request("POST", "/api/tools/heartbeat", token=token, body=body)


def markdown(loads: Loads) -> str:
    """Return a table of rates and times."""
    names = f"| {loads.clients} clients | requests/s | p50 ms | p95 ms | p99 ms |"
    head = f"{names}\n| --- | --: | --: | --: | --: |"
    lines = [f"| {kind} | {_line(times, loads.lasted)} |" for kind, times in sorted(loads.seconds.items())]
    said = f"\n\nErrors: {len(loads.errors)}; put off (503): {len(loads.put_off)}. " + "; ".join(
        loads.errors[:5]
    )
    return "\n".join([head, *lines]) + said.rstrip()


def _line(times: Sequence[float], lasted: float) -> str:
    cuts = quantiles(times, n=100) if len(times) > 1 else [times[0]] * 99
    shown = (f"{1000 * cuts[place]:.1f}" for place in (49, 94, 98))
    return " | ".join([f"{len(times) / lasted:,.0f}", *shown])


def as_json(loads: Loads) -> Mapping[str, object]:
    """Return the raw numbers."""
    return {
        "clients": loads.clients,
        "seconds": loads.lasted,
        "errors": loads.errors,
        "times": dict(loads.seconds),
    }
