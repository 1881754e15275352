"""Write what was measured: JSON for programs, a Markdown table and a plot for people."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench import plots
from bench.measure import Measured, ratios
from bench.plots import number

_HEAD = (
    "| variant | client CPU µs | PostgreSQL CPU µs | wall µs | statements | WAL bytes | CPU | wall |\n"
    "| --- | --: | --: | --: | --: | --: | --: | --: |"
)


@dataclass(frozen=True, slots=True)
class Subject:
    """What was measured of one subject; costs are those of one `unit`."""

    name: str
    unit: str
    measured: Sequence[Measured]
    facts: Mapping[str, float]

    def ratios(self, measured: Measured, name: str) -> list[float]:
        """Return, a round, how many times cheaper than its yardstick a variant was; none without one."""
        by_name = {one.variant.name: one for one in self.measured}
        yardstick = by_name.get(measured.variant.against)
        return ratios(name, yardstick=yardstick, measured=measured) if yardstick else []


def write(folder: Path, subjects: Sequence[Subject], *, run: Mapping[str, Any]) -> None:
    """Write `bench.json`, `bench.md` and `bench.svg`; `run` says when, on what and how it was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"run": dict(run), "subjects": {subject.name: _json(subject) for subject in subjects}}
    (folder / "bench.json").write_text(json.dumps(content, indent=2) + "\n")
    (folder / "bench.md").write_text("\n\n".join(map(markdown, subjects)) + "\n")
    plots.of_costs(dict(map(_panel, subjects))).savefig(folder / "bench.svg")


def _panel(subject: Subject) -> tuple[str, dict[str, float]]:
    return _title(subject), {one.variant.name: one.median("cpu_us") for one in subject.measured}


def _title(subject: Subject) -> str:
    return f"{subject.name}: one {subject.unit}"


def _json(subject: Subject) -> dict[str, Any]:
    variants = [_variant(subject, measured) for measured in subject.measured]
    return {"unit": subject.unit, "variants": variants, "facts": dict(subject.facts)}


def _variant(subject: Subject, measured: Measured) -> dict[str, Any]:
    names = ("client_us", "server_us", "cpu_us", "wall_us", "wal_bytes")
    return {
        "name": measured.variant.name,
        "against": measured.variant.against or None,
        "calls": measured.calls,
        "units": measured.variant.units,
        "queries": measured.queries,
        "median": {name: measured.median(name) for name in names},
        "times_cheaper": {name: subject.ratios(measured, name) for name in ("cpu_us", "wall_us")},
        "samples": [asdict(sample) for sample in measured.samples],
    }


def markdown(subject: Subject) -> str:
    """Return a subject's table; the last columns say how many times cheaper than the yardstick it was."""
    rows = [_row(subject, measured) for measured in subject.measured]
    facts = [f"* {name}: {number(value)}" for name, value in subject.facts.items()]
    table = "\n".join([f"### {_title(subject)}", "", _HEAD, *rows])
    return "\n".join([table, "", *facts]) if facts else table


def _row(subject: Subject, measured: Measured) -> str:
    names = ("client_us", "server_us", "wall_us")
    costs = [number(measured.median(name)) for name in names]
    database = [str(measured.queries), number(measured.median("wal_bytes"))]
    times = [_times(subject.ratios(measured, name)) for name in ("cpu_us", "wall_us")]
    return f"| {' | '.join([measured.variant.name, *costs, *database, *times])} |"


def _times(found: list[float]) -> str:
    """Return the median ratio with its range over the rounds."""
    if not found:
        return ""
    return f"{number(median(found))}x ({number(min(found))} to {number(max(found))})"
