"""`bind`, `inbox`, `lock`, `verify`: for agents that depend on tools."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from toolroster import files, strict_json
from toolroster.cli import tables
from toolroster.cli.session import Session
from toolroster.client import Registry
from toolroster.errors import DocumentInvalid, Malformed, NoMatchingVersion, ToolNotFound, ToolUnavailable
from toolroster.lock import Finding, Locked, LockFile, drifts

LOCK_FILE = "toolroster.lock"

_file = click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="References in a JSON or YAML file: a list, or `refs` or `tools` of an object.",
)
_lock_file = click.option(
    "--lock-file",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=LOCK_FILE,
    show_default=True,
)


@click.command()
@click.argument("refs", nargs=-1)
@_file
@click.pass_obj
def bind(session: Session, refs: tuple[str, ...], file: Path | None) -> None:
    """Declare all the tools that this agent uses; without any, show what it is bound to."""
    wanted = [*refs, *(_refs_in(file) if file else ())]
    with session.registry() as registry:
        found = registry.declare(wanted) if wanted or file else registry.bindings()
    if session.is_json:
        tables.as_json([{"ref": one.ref, "bound": one.tool_id, "lifecycle": one.lifecycle} for one in found])
        return
    tables.table(("REFERENCE", "BOUND TO", "STATE"), [(one.ref, one.tool_id, one.lifecycle) for one in found])


@click.command()
@click.option("--ack", is_flag=True, help="Note that they were read.")
@click.option("--wait", "wait_seconds", default=0, help="Seconds to wait for the first one, at most 30.")
@click.pass_obj
def inbox(session: Session, *, ack: bool, wait_seconds: int) -> None:
    """Show what concerns this agent and was not acknowledged."""
    with session.registry() as registry:
        found = registry.inbox(wait_seconds=wait_seconds)
        if session.is_json:
            tables.as_json(list(found))
        else:
            rows = [(one["occurred_at"], one["kind"], one["tool_id"], _said(one["data"])) for one in found]
            tables.table(("WHEN", "WHAT", "TOOL", "MORE"), rows)
        if ack and found:
            registry.acknowledge(found.next)


@click.command()
@click.argument("refs", nargs=-1)
@_file
@_lock_file
@click.pass_obj
def lock(session: Session, refs: tuple[str, ...], file: Path | None, path: Path) -> None:
    """Write what references mean now into a lock file; without any, those of the file anew."""
    wanted = [*refs, *(_refs_in(file) if file else ())] or list(_read(path).tools)
    with session.registry(is_cached=False) as registry:
        found = {ref: Locked.of(registry.resolve(ref).document) for ref in dict.fromkeys(wanted)}
        path.write_text(LockFile(registry.url, found).to_text(), encoding="utf-8")
    tables.table(("REFERENCE", "LOCKED TO"), [(ref, one.tool_id) for ref, one in sorted(found.items())])


@click.command()
@_lock_file
@click.option("--strict", is_flag=True, help="Exit with 1 for news as well: deprecated, yanked, newer.")
@click.pass_obj
def verify(session: Session, path: Path, *, strict: bool) -> None:
    """Say what has changed since the lock file was written; 1 where what was locked differs."""
    locked = _read(path)
    with session.registry(is_cached=False) as registry:
        found = [
            finding for ref, one in sorted(locked.tools.items()) for finding in _drifts(registry, ref, one)
        ]
    if session.is_json:
        tables.as_json([finding.as_json() for finding in found])
    else:
        _tell(found, len(locked.tools))
    if any(finding.is_serious or strict for finding in found):
        raise click.exceptions.Exit(1)


def _drifts(registry: Registry, ref: str, locked: Locked) -> list[Finding]:
    try:
        served = registry.get(locked.tool_id).document
    except ToolNotFound:
        return drifts(ref, locked, None)
    try:
        latest = registry.resolve(ref).document
    except (ToolNotFound, NoMatchingVersion, ToolUnavailable):
        latest = None  # the locked version is served: what else there would be is another question
    return drifts(ref, locked, served, latest)


def _tell(found: Iterable[Finding], tools: int) -> None:
    for finding in found:
        color = "red" if finding.is_serious else "yellow"
        click.echo(f"{click.style(finding.drift, fg=color, bold=True)}: {tables.plain(finding.message)}")
    if not found:
        click.echo(f"{tools} tools are as they were locked")


def _said(data: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in data.items())


def _read(path: Path) -> LockFile:
    if not path.is_file():
        raise click.UsageError(f"There is no {path}; name the references to lock.")
    try:
        return LockFile.of(strict_json.loads(path.read_bytes()))
    except (Malformed, DocumentInvalid) as error:
        raise DocumentInvalid(f"{path}: {error.detail}") from error


def _refs_in(file: Path) -> list[str]:
    content = _content_of(file)
    if isinstance(content, dict):
        content = content.get("refs", content.get("tools"))
    if not isinstance(content, list) or not all(isinstance(one, str) for one in content):
        raise DocumentInvalid(f"{file}: It holds no list of references.")
    return content


def _content_of(file: Path) -> Any:
    if not file.is_file():
        raise click.UsageError(f"There is no file {file}.")
    try:
        return files.content_of(file)
    except DocumentInvalid as error:
        raise DocumentInvalid(f"{file}: {error.detail}") from error


COMMANDS = [bind, inbox, lock, verify]
