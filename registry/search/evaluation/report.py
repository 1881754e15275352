"""Tables of measurements, and what fell below a stored baseline."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from registry.search.evaluation import metrics
from registry.search.evaluation.scoring import Measurement
from toolroster.errors import DocumentInvalid

TOLERANCE = 1.5
"""How far nDCG@10 may fall below the baseline, in points, before it counts as worse."""
_JUDGED = metrics.NAMES[0]


def as_json(rows: Sequence[Measurement]) -> dict[str, Any]:
    """Return all rows by their names: the form of a baseline."""
    return {row.name: row.as_json() for row in rows}


def markdown(rows: Sequence[Measurement], baseline: Mapping[str, Any] | None = None) -> str:
    """Return a table; with a baseline the difference in nDCG@10 stands in a column of its own."""
    known = baseline or {}
    heads = ["requests of", "tools", "n", *metrics.NAMES, *(["against baseline"] if known else [])]
    lines = [f"| {' | '.join(heads)} |", "| --- |" + " --: |" * (len(heads) - 1)]
    return "\n".join([*lines, *(_line(row, known) for row in rows)])


def _line(row: Measurement, baseline: Mapping[str, Any]) -> str:
    first, *others = row.measures
    cells = [row.name, f"{row.tools:,}", f"{row.requests:,}"]
    cells.append(f"{first.mean:.1f} ({first.low:.1f} to {first.high:.1f})")
    cells += [f"{one.mean:.1f}" for one in others]
    if baseline:
        change = difference(row, baseline)
        cells.append("new" if change is None else f"{change:+.1f}")
    return f"| {' | '.join(cells)} |"


def difference(row: Measurement, baseline: Mapping[str, Any]) -> float | None:
    """Return by how many points nDCG@10 is above the baseline, None where it has no such row."""
    before = baseline.get(row.name)
    return None if before is None else row.measures[0].mean - float(before[_JUDGED]["mean"])


def worse(rows: Sequence[Measurement], baseline: Mapping[str, Any]) -> list[str]:
    """Return what fell by more than the tolerance, said for people."""
    changes = [(row.name, difference(row, baseline)) for row in rows]
    return [
        f"{name}: {_JUDGED} is {-change:.1f} points below the baseline"
        for name, change in changes
        if change is not None and change < -TOLERANCE
    ]


def read_baseline(path: Path) -> dict[str, Any]:
    """Read a baseline.

    Raises:
        DocumentInvalid: it cannot be read, or is no baseline.
    """
    try:
        found = json.loads(path.read_text("utf-8"))
        valid = all(isinstance(row[_JUDGED]["mean"], int | float) for row in found.values())
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise DocumentInvalid(f"{path} is no baseline: {error}") from error
    if not valid:
        raise DocumentInvalid(f"{path} is no baseline: {_JUDGED} has no mean.")
    baseline: dict[str, Any] = found
    return baseline
