"""`check`: whether a new version may be published under its number, for people and for CI."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx

from toolroster import compat
from toolroster.cli import reports
from toolroster.cli.reports import Checked
from toolroster.cli.session import Session
from toolroster.cli.sources import documents_in, read
from toolroster.compat import CompatPolicy
from toolroster.definition import ToolDefinition
from toolroster.errors import NoMatchingVersion, ToolNotFound, ToolrosterError

_FAILS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "version": lambda report: not report["version_is_sufficient"],
    "breaking": lambda report: not report["is_compatible"],
    "warning": lambda report: report["classification"] in {"breaking", "warning"},
    "review": lambda report: report["review_required"],
}
"""What a report must say for `--fail-on` to fail."""


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="[OLD] NEW")
@click.option("--switch", "switches", multiple=True, metavar="NAME=VALUE", help="A switch of the comparison.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(_FAILS)),
    default=["version"],
    show_default=True,
    help="When to exit with 1; version: its number does not carry the changes. May be given again.",
)
@click.option("--format", "form", type=click.Choice(list(reports.FORMS)), default="text", show_default=True)
@click.pass_obj
def check(
    session: Session,
    /,
    sides: tuple[str, ...],
    switches: tuple[str, ...],
    fail_on: tuple[str, ...],
    form: str,
) -> None:
    """Compare versions of tools, and say which version number the changes need.

    OLD and NEW are JSON files, tool ids or references. Two files need no registry; NEW alone is compared with
    what is published below its version. Of files with several documents those of one name are compared.
    """
    if len(sides) > 2:
        raise click.UsageError("Name what is compared: OLD and NEW, or NEW alone.")
    policy = _switches(switches)
    *before, new = map(_Side.of, sides)
    checked = [_checked(session, pair, policy) for pair in _pairs(before[0] if before else None, new)]
    reports.FORMS["json" if session.is_json else form](checked)
    if any(_FAILS[name](one.report) for one in checked for name in fail_on if one.report):
        raise click.exceptions.Exit(1)


@dataclass(frozen=True, slots=True)
class _Side:
    """What is compared: a reference, or the documents of a file."""

    text: str
    documents: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, text: str) -> "_Side":
        path = Path(text)
        if not path.is_file():
            if path.suffix == ".json":
                raise click.UsageError(f"There is no file {text}.")
            return cls(text)
        documents = documents_in(path)
        if not documents:
            raise click.UsageError(f"{text} holds no document.")
        return cls(text, tuple(documents))


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is compared with what; `file` and `place` say where the new document stands.

    Without `old` it is compared with what is published, unless it `is_first` of its tool.
    """

    old: Any
    new: Any
    file: str = ""
    place: int = 0
    is_first: bool = False


def _switches(given: Iterable[str]) -> dict[str, bool | str]:
    """Read `name=value`; a name alone is true.

    Raises:
        DocumentInvalid: there is no such switch, or the value is none of its.
    """
    found: dict[str, bool | str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        words: dict[str, bool | str] = {"true": True, "false": False}
        found[name.strip().replace("-", "_")] = words.get(value, value) if equals else True
    CompatPolicy.of(found)
    return found


def _pairs(old: _Side | None, new: _Side) -> Iterator[_Pair]:
    if new.documents is None:
        yield _Pair(_single(old) if old else None, new.text)
    elif old is None or old.documents is None:
        for place, document in enumerate(new.documents):
            yield _Pair(old and old.text, document, new.text, place)
    elif len(old.documents) == len(new.documents) == 1:
        yield _Pair(old.documents[0], new.documents[0], new.text)
    else:
        yield from _of_one_name(old.documents, new)


def _single(side: _Side) -> Any:
    if side.documents is None:
        return side.text
    if len(side.documents) > 1:
        raise click.UsageError(f"{side.text} holds {len(side.documents)} documents; compare one with one.")
    return side.documents[0]


def _of_one_name(old: Iterable[Any], new: _Side) -> Iterator[_Pair]:
    """Give the documents of one tool in both files, and those of tools that are new."""
    before = {_name_of(document): document for document in old}
    for place, document in enumerate(new.documents or ()):
        mine = before.pop(_name_of(document), None)
        yield _Pair(mine, document, new.text, place, is_first=mine is None)
    for provider, name in before:
        click.echo(f"{provider}/{name} is in the old file only; what is published of it stays.", err=True)


def _name_of(document: Any) -> tuple[str, str]:
    definition = ToolDefinition.parse(document)
    return definition.provider, definition.name


def _checked(session: Session, pair: _Pair, policy: dict[str, bool | str]) -> Checked:
    try:
        label, report = _compared(session, pair, policy)
    except ToolrosterError as error:
        error.detail = f"{pair.file}: {error.detail}" if pair.file else error.detail
        raise
    return Checked(label, report, pair.file, pair.place)


def _compared(
    session: Session, pair: _Pair, policy: dict[str, bool | str]
) -> tuple[str, dict[str, Any] | None]:
    """Return how the new side is called, and the report; None where it is the first version."""
    if isinstance(pair.new, str):
        return pair.new, _asked(session, pair, policy)
    new = ToolDefinition.parse(pair.new)
    if pair.is_first:
        return new.tool_id, None
    if isinstance(pair.old, dict):
        old = ToolDefinition.parse(pair.old)
        return new.tool_id, compat.verdict(old=old, new=new, policy=CompatPolicy.of(policy)).as_json()
    try:
        return new.tool_id, _asked(session, pair, policy)
    except (ToolNotFound, NoMatchingVersion):
        if pair.old is not None:
            raise
        return new.tool_id, None


def _asked(session: Session, pair: _Pair, policy: dict[str, bool | str]) -> dict[str, Any]:
    body = {"old": pair.old, "new": pair.new, "policy": policy}
    with httpx.Client(timeout=60, auth=session.access.auth(session.registry_url)) as client:
        return read(client.post, f"{session.registry_url}/api/tools/compatibility", json=body)


COMMANDS = [check]
