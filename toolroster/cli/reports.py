"""Reports of `check`: text for people, JSON, annotations of GitHub's CI, SARIF for code scanning."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

import toolroster
from toolroster.cli import tables
from toolroster.schema_walk import pointer

_COLORS = {"breaking": "red", "warning": "yellow", "info": "cyan", "none": "green"}
_LISTS = ("breaking_changes", "warnings", "info")
MEMBERS = {
    *_LISTS,
    "classification",
    "compared_with",
    "is_compatible",
    "review_required",
    "suggested_version",
    "version_is_sufficient",
}
"""What is read of a report."""
_GITHUB = {"breaking": "error", "warning": "warning", "info": "notice"}
_SARIF = {"breaking": "error", "warning": "warning", "info": "note"}


@dataclass(frozen=True, slots=True)
class Checked:
    """A tool with its report, None for its first version; where its document stands if that is in a file."""

    tool: str
    report: dict[str, Any] | None
    file: str = ""
    place: int = 0

    @property
    def changes(self) -> Iterator[dict[str, Any]]:
        """All changes, the heaviest first."""
        for name in _LISTS if self.report else ():
            yield from (self.report or {})[name]

    @property
    def summary(self) -> str:
        """The verdict in a line."""
        if self.report is None:
            return "nothing is published that it could break"
        said, base = self.report["classification"], self.report["compared_with"]
        needed = self.report["suggested_version"]
        if said == "none":
            return f"nothing changed since {base}"
        if self.report["version_is_sufficient"]:
            return f"{said} since {base}, and the version carries it"
        return f"{said} since {base}: publish it as {needed}"


def text(checked: Sequence[Checked]) -> None:
    """Print for people."""
    for one in checked:
        color = _COLORS[one.report["classification"]] if one.report else "green"
        click.echo(f"{click.style(one.tool, bold=True)}: {click.style(one.summary, fg=color)}")
        for change in one.changes:
            review = ", to be reviewed" if change["review_required"] else ""
            unproven = ", not proved" if change["certainty"] == "unproven" else ""
            said = click.style(change["class"], fg=_COLORS[change["class"]])
            click.echo(f"  {said}{review}{unproven}: {tables.plain(change['message'])} [{change['rule_id']}]")


def as_json(checked: Sequence[Checked]) -> None:
    """Print JSON: the tool and its report, null for a first version."""
    tables.as_json([{"tool": one.tool, "file": one.file or None, "report": one.report} for one in checked])


def github(checked: Sequence[Checked]) -> None:
    """Print workflow commands, which GitHub shows beside the files of a pull request."""
    for one in checked:
        is_low = one.report is not None and not one.report["version_is_sufficient"]
        _annotate("error" if is_low else "notice", one, one.tool, one.summary)
        for change in one.changes:
            level = _GITHUB[change["class"]] if is_low else "notice"
            _annotate(level, one, f"{one.tool}: {change['kind']}", change["message"])


def _annotate(level: str, one: Checked, title: str, message: str) -> None:
    place = f"file={_property(one.file)}," if one.file else ""
    click.echo(f"::{level} {place}title={_property(title)}::{_data(message)}")


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(checked: Sequence[Checked]) -> None:
    """Print SARIF 2.1.0 (OASIS), a result for each change."""
    results = [_result(one, change) for one in checked for change in one.changes]
    rules = [{"id": rule} for rule in sorted({result["ruleId"] for result in results})]
    driver = {"name": "toolroster", "semanticVersion": toolroster.__version__, "rules": rules}
    tables.as_json(
        {
            "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
        }
    )


def _result(one: Checked, change: dict[str, Any]) -> dict[str, Any]:
    logical = {"fullyQualifiedName": f"{one.tool}#{change['path']}", "kind": "parameter"}
    location: dict[str, Any] = {"logicalLocations": [logical]}
    if one.file:
        location["physicalLocation"] = {"artifactLocation": {"uri": one.file}}
    return {
        "ruleId": change["rule_id"],
        "level": _SARIF[change["class"]],
        "message": {"text": f"{change['message']} ({one.summary})"},
        "locations": [location],
        "properties": {
            "certainty": change["certainty"],
            "reviewRequired": change["review_required"],
            "document": pointer((one.place,)),
        },
    }


FORMS: dict[str, Callable[[Sequence[Checked]], None]] = {
    "text": text,
    "json": as_json,
    "github": github,
    "sarif": sarif,
}
