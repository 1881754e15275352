"""`python -m bench growth`: the same subjects in registries that are ten times as large each time."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bench import plots
from config.env import CHECKOUT

SUBJECTS = ("heartbeat", "resolve", "list", "sweep", "search")
_SMALLEST = 1000

Costs = dict[str, dict[int, float]]
"""µs of CPU by the title of a variant, then by the number of registrations."""


def measure(*, rows: int, rounds: int, output: Path, say: Callable[[str], None]) -> None:
    """Measure up to `rows` registrations, each size in a process and a database of its own."""
    results = {size: _run(size, rounds=rounds, folder=output / str(size), say=say) for size in sizes(rows)}
    costs = collect(results)
    table = markdown(costs)
    (output / "growth.md").write_text(f"{table}\n")
    (output / "growth.json").write_text(json.dumps(costs, indent=1) + "\n")
    plots.of_growth(costs).savefig(output / "growth.svg")
    say(f"\n{table}\n")


def sizes(rows: int) -> list[int]:
    """Return powers of ten from a thousand on, and `rows` last."""
    powers = [10**n for n in range(3, 10) if 10**n < rows]
    return [*powers, max(rows, _SMALLEST)]


def _run(size: int, *, rounds: int, folder: Path, say: Callable[[str], None]) -> Mapping[str, Any]:
    say(f"{size:,} registrations")
    options = ["--rows", str(size), "--rounds", str(rounds), "--output", str(folder)]
    subprocess.run(  # noqa: S603 - this program, with numbers and a folder
        [sys.executable, "-m", "bench", *SUBJECTS, *options],
        cwd=CHECKOUT,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    found: dict[str, Any] = json.loads((folder / "bench.json").read_text())
    return found


def collect(results: Mapping[int, Mapping[str, Any]]) -> Costs:
    """Return the costs out of the results (`bench.json`) of each size."""
    costs: Costs = {}
    for size, result in results.items():
        for title, cost in _costs(result):
            costs.setdefault(title, {})[size] = cost
    return costs


def _costs(result: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, subject in result["subjects"].items():
        for variant in subject["variants"]:
            yield f"{name}: {variant['name']}", variant["median"]["cpu_us"]


def markdown(costs: Costs) -> str:
    """Return a table: a row a variant, a column a size, µs of CPU."""
    found = sorted({size for by_size in costs.values() for size in by_size})
    head = "| µs of CPU, with registrations | " + " | ".join(f"{size:,}" for size in found) + " |"
    rows = [
        f"| {title} | " + " | ".join(f"{by_size[n]:,.0f}" if n in by_size else "" for n in found) + " |"
        for title, by_size in costs.items()
    ]
    return "\n".join([head, "| --- " + "| --: " * len(found) + "|", *rows])
