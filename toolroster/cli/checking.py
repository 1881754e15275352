"""`check`: whether a new version may be published under its number, for people and for CI."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import httpx

from toolroster import compat, semver
from toolroster.cli import reports
from toolroster.cli.reports import Checked
from toolroster.cli.session import Session
from toolroster.cli.sources import documents_in, read
from toolroster.compat import CompatPolicy
from toolroster.definition import ToolDefinition
from toolroster.errors import NoMatchingVersion, ToolNotFound, ToolrosterError, Unavailable

_FAILS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "breaking": lambda report: not report["is_compatible"],
    "warning": lambda report: report["classification"] in {"breaking", "warning"},
    "review": lambda report: report["review_required"],
}
"""What fails beside a version that is too low, by `--fail-on`."""


@click.command()
@click.argument("sides", nargs=-1, required=True, metavar="[OLD] NEW")
@click.option("--switch", "switches", multiple=True, metavar="NAME=VALUE", help="A switch of the comparison.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(list(_FAILS)),
    help="Exit with 1 for these as well, not only for a version that is too low. May be given again.",
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
    what is published below its version. Of files with several documents each version is held against the
    release of its name below it.
    """
    if len(sides) > 2:
        raise click.UsageError("Name what is compared: OLD and NEW, or NEW alone.")
    policy = _switches(switches)
    *before, new = map(_Side.of, sides)
    checked = [_checked(session, pair, policy) for pair in _pairs(before[0] if before else None, new)]
    reports.FORMS["json" if session.is_json else form](checked)
    if any(_fails(one.report, fail_on) for one in checked if one.report):
        raise click.exceptions.Exit(1)


def _fails(report: dict[str, Any], fail_on: Iterable[str]) -> bool:
    return not report["version_is_sufficient"] or any(_FAILS[name](report) for name in fail_on)


@dataclass(frozen=True, slots=True)
class _Side:
    """What is compared: a reference, or the documents of a file."""

    text: str
    documents: tuple[ToolDefinition, ...] = ()

    @classmethod
    def of(cls, text: str) -> "_Side":
        path = Path(text)
        if not path.is_file():
            if path.suffix == ".json":
                raise click.UsageError(f"There is no file {text}.")
            return cls(text)
        documents = tuple(_parsed(document, text) for document in documents_in(path))
        if not documents:
            raise click.UsageError(f"{text} holds no document.")
        return cls(text, documents)

    @property
    def single(self) -> ToolDefinition | str:
        """The one document, or the reference."""
        if len(self.documents) > 1:
            count = len(self.documents)
            raise click.UsageError(f"{self.text} holds {count} documents; compare one with one.")
        return self.documents[0] if self.documents else self.text


def _parsed(document: Any, file: str) -> ToolDefinition:
    try:
        return ToolDefinition.parse(document)
    except ToolrosterError as error:
        error.detail = f"{file}: {error.detail}"
        raise


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is compared with what; `file` and `place` say where the new document stands.

    Without `old` it is compared with what is published, unless it `is_first` of its tool.
    """

    old: ToolDefinition | str | None
    new: ToolDefinition | str
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
    if not new.documents:
        yield _Pair(old.single if old else None, new.text)
    elif old is None or not old.documents:
        for place, document in enumerate(new.documents):
            yield _Pair(old.text if old else None, document, new.text, place)
    elif len(old.documents) == len(new.documents) == 1:
        yield _Pair(old.documents[0], new.documents[0], new.text)
    else:
        yield from _of_one_name(old.documents, new)


def _of_one_name(old: Sequence[ToolDefinition], new: _Side) -> Iterator[_Pair]:
    """Give each new document with the release that it is held against, and those of tools that are new."""
    for place, document in enumerate(new.documents):
        mine = _base(document, old, new.documents)
        yield _Pair(mine, document, new.text, place, is_first=mine is None)
    kept = {_name_of(document) for document in new.documents}
    for provider, name in sorted({_name_of(document) for document in old} - kept):
        click.echo(f"{provider}/{name} is in the old file only; what is published of it stays.", err=True)


def _base(
    document: ToolDefinition, old: Iterable[ToolDefinition], new: Iterable[ToolDefinition]
) -> ToolDefinition | None:
    """Return what a document is held against: the same version before, else the release below it.

    Where all that was there is higher, it is the highest of them; None where nothing is there.
    """
    before = {one.version: one for one in old if _name_of(one) == _name_of(document)}
    if document.version in before:
        return before[document.version]
    beside = {one.version: one for one in new if _name_of(one) == _name_of(document)} | before
    below = compat.release_below(document.version, beside)
    if below is None and before:
        below = max(before, key=semver.version_key)
    return None if below is None else beside[below]


def _name_of(definition: ToolDefinition) -> tuple[str, str]:
    return definition.provider, definition.name


def _checked(session: Session, pair: _Pair, policy: dict[str, bool | str]) -> Checked:
    try:
        report = _compared(session, pair, policy)
    except ToolrosterError as error:
        error.detail = f"{pair.file}: {error.detail}" if pair.file else error.detail
        raise
    label = pair.new if isinstance(pair.new, str) else pair.new.tool_id
    return Checked(label, report, pair.file, pair.place)


def _compared(session: Session, pair: _Pair, policy: dict[str, bool | str]) -> dict[str, Any] | None:
    """Return the report; None where it is the first version."""
    if pair.is_first:
        return None
    if isinstance(pair.old, ToolDefinition) and isinstance(pair.new, ToolDefinition):
        return compat.verdict(old=pair.old, new=pair.new, policy=CompatPolicy.of(policy)).as_json()
    try:
        return _asked(session, pair, policy)
    except (ToolNotFound, NoMatchingVersion):
        if pair.old is not None or isinstance(pair.new, str):
            raise
        return None


def _asked(session: Session, pair: _Pair, policy: dict[str, bool | str]) -> dict[str, Any]:
    body = {"old": _sent(pair.old), "new": _sent(pair.new), "policy": policy}
    url = f"{session.registry_url}/api/tools/compatibility"
    with httpx.Client(timeout=60, auth=session.access.auth(session.registry_url)) as client:
        report = read(client.post, url, json=body)
    if not report.keys() >= reports.MEMBERS:
        raise Unavailable(f"{url} does not answer as a registry does.")
    return report


def _sent(side: ToolDefinition | str | None) -> Any:
    return side.document() if isinstance(side, ToolDefinition) else side


COMMANDS = [check]
