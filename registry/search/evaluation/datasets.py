"""Data sets of tools and requests, as folders of two JSONL files.

`tools.jsonl`: `{id, name, description, params: [{name, description}], category, tags, examples}`.
`queries.jsonl`: `{text, gold: [tool id], lang?, rel?: {tool id: gain}}`; a request without gold fits no tool.
"""

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from registry.search.language import detect
from registry.search.texts import SearchableText
from toolroster.errors import DocumentInvalid, Fault


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks for, and the gain of each tool that answers it; without any, nothing fits."""

    text: str
    gains: Mapping[str, float]
    language: str


@dataclass(frozen=True, slots=True)
class DataSet:
    """Tools by id, and requests with the tools that answer them."""

    name: str
    tools: Mapping[str, SearchableText]
    requests: tuple[Request, ...] = field(default=())

    def sampled(self, most: int) -> Self:
        """Return the set with at most so many requests, the same ones each time."""
        if len(self.requests) <= most:
            return self
        chosen = random.Random(7).sample(self.requests, most)  # noqa: S311 - a sample, no secret
        return replace(self, requests=tuple(chosen))

    def without_examples(self) -> Self:
        """Return the set as if no provider had given example requests."""
        bare = {key: replace(tool, examples=()) for key, tool in self.tools.items()}
        return replace(self, name=f"{self.name} (no examples)", tools=bare)

    def variants(self) -> list[Self]:
        """Return the set as what is measured: where providers gave example requests, without them as well."""
        has_examples = any(tool.examples for tool in self.tools.values())
        return [self.without_examples(), self] if has_examples else [self]


def load(folder: Path) -> DataSet:
    """Read a data set.

    Raises:
        DocumentInvalid: a file is missing, or a line is not what is described above.
    """
    tools = dict(_tool(row) for row in read_jsonl(folder / "tools.jsonl", needs=("id", "name")))
    rows = read_jsonl(folder / "queries.jsonl", needs=("text", "gold"))
    requests = tuple(request_of(row) for row in rows)
    unknown = sorted({key for request in requests for key in request.gains} - tools.keys())
    if unknown:
        raise DocumentInvalid(f"{folder}: no tool has the id {unknown[0]!r}, which a request means.")
    return DataSet(folder.name, tools, requests)


def find(root: Path) -> list[Path]:
    """Return the folders below `root` that hold a data set, in the order of their names."""
    folders = (path.parent for path in root.glob("*/queries.jsonl"))
    return sorted(folder for folder in folders if (folder / "tools.jsonl").exists())


def request_of(row: Mapping[str, Any]) -> Request:
    """Return a request; its gains are 1 unless `rel` says otherwise."""
    graded = row.get("rel") or {}
    gains = {key: float(graded.get(key, 1.0)) for key in row["gold"]}
    return Request(row["text"], gains, row.get("lang") or detect(row["text"]))


def _tool(row: Mapping[str, Any]) -> tuple[str, SearchableText]:
    parameters = tuple((item["name"], item.get("description") or "") for item in row.get("params") or ())
    category = row.get("category")
    return row["id"], SearchableText(
        name=row["name"],
        description=row.get("description") or "",
        parameters=parameters,
        categories=(category,) if category else (),
        tags=tuple(row.get("tags") or ()),
        examples=tuple(row.get("examples") or ()),
    )


def read_jsonl(path: Path, *, needs: Iterable[str]) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines.

    Raises:
        DocumentInvalid: it cannot be read, or a line is no object with the names in `needs`.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentInvalid(f"{path} cannot be read: {error}") from error
    return [_row(path, number, line, needs) for number, line in enumerate(lines, 1) if line.strip()]


def _row(path: Path, number: int, line: str, needs: Iterable[str]) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        row = str(error)
    missing = [name for name in needs if not isinstance(row, dict) or name not in row]
    if missing:
        fault = Fault(f"/{number - 1}", "line_invalid", f"An object with {', '.join(needs)} was expected.")
        raise DocumentInvalid(f"{path}, line {number}: {fault.detail}", errors=[fault])
    found: dict[str, Any] = row
    return found
