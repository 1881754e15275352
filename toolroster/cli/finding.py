"""`search`, `list`, `show`, `resolve`, `stats`: what is there."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from toolroster.cli import tables
from toolroster.cli.session import Session
from toolroster.client import Listed, Registration
from toolroster.client.exchange import Filters

F = TypeVar("F", bound=Callable[..., Any])


def filters(command: F) -> F:
    """Add the options that narrow a list or a search."""
    for option in (
        click.option("--category", multiple=True, help="Any of these."),
        click.option("--tag", multiple=True, help="Any of these."),
        click.option("--provider", help="Only of this provider."),
        click.option("--cost-level", type=click.Choice(["LOW", "MEDIUM", "HIGH"])),
        click.option("--include-deprecated", is_flag=True),
        click.option("--include-prerelease", is_flag=True),
    ):
        command = option(command)
    return command


def filters_of(given: dict[str, Any]) -> Filters:
    """Return the options as filters; a flag that is off does not narrow."""
    found: Any = {name: list(one) if isinstance(one, tuple) else one for name, one in given.items() if one}
    narrowed: Filters = found
    return narrowed


@click.command()
@click.argument("query", nargs=-1, required=True)
@click.option("--top", "top_k", default=10, show_default=True, help="How many at most.")
@filters
@click.pass_obj
def search(session: Session, /, query: tuple[str, ...], top_k: int, **given: Any) -> None:
    """Find tools by what they should do, in any language."""
    with session.registry() as registry:
        results = registry.search(" ".join(query), top_k=top_k, **filters_of(given))
    _tell_age(results.age_seconds)
    if session.is_json:
        tables.as_json(results)
        return
    rows = [
        (one["tool"]["tool_id"], f"{one['score']:.2f}", one["why"], one["tool"]["description"])
        for one in results
    ]
    tables.table(("TOOL", "SCORE", "WHY", "DESCRIPTION"), rows)


@click.command("list")
@filters
@click.pass_obj
def list_(session: Session, /, **given: Any) -> None:
    """List what can be used now."""
    with session.registry() as registry:
        found = registry.available(**filters_of(given))
    _listed(session, found)


@click.command()
@click.argument("tool")
@click.pass_obj
def show(session: Session, tool: str) -> None:
    """Show a tool by its id (provider:name:version) or by a reference (name@range)."""
    with session.registry() as registry:
        found = registry.get(tool) if tool.count(":") >= 2 else registry.resolve(tool)
    _shown(session, found)


@click.command()
@click.argument("ref")
@click.option("--include-prerelease", is_flag=True)
@click.pass_obj
def resolve(session: Session, ref: str, *, include_prerelease: bool) -> None:
    """Print the id of the version that a reference means: send_email@^1.0."""
    with session.registry() as registry:
        found = registry.resolve(ref, include_prerelease=include_prerelease)
    _tell_age(found.age_seconds)
    _tell_farewell(found)
    if session.is_json:
        tables.as_json(found.document)
        return
    click.echo(found.tool_id)


@click.command()
@click.argument("provider")
@click.argument("name")
@click.pass_obj
def versions(session: Session, provider: str, name: str) -> None:
    """List the versions of a tool, the highest first."""
    with session.registry() as registry:
        found = registry.versions(provider, name)
    _listed(session, found)


@click.command()
@click.pass_obj
def stats(session: Session) -> None:
    """Show what the registry holds."""
    with session.registry() as registry:
        found = registry.stats()
    _tell_age(found.age_seconds)
    if session.is_json:
        tables.as_json(found)
        return
    tables.facts([(name.replace("_", " "), _number(value)) for name, value in found.items()])


def _number(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}: {count}" for name, count in value.items()) or "0"
    return str(value)


def _listed(session: Session, found: Listed) -> None:
    _tell_age(found.age_seconds)
    if session.is_json:
        tables.as_json([row.document for row in found])
        return
    rows = [(row.tool_id, row.document.get("status", ""), row.description) for row in found]
    tables.table(("TOOL", "STATUS", "DESCRIPTION"), rows)


def _shown(session: Session, found: Registration) -> None:
    _tell_age(found.age_seconds)
    _tell_farewell(found)
    if session.is_json:
        tables.as_json(found.document)
        return
    document = found.document
    capabilities = document.get("capabilities") or {}
    tables.facts(
        [
            ("tool", found.tool_id),
            ("status", str(document.get("status", ""))),
            ("description", found.description),
            ("returns", str(document.get("returns") or "")),
            ("parameters", "\n".join(_parameter(one) for one in document.get("parameters") or ())),
            ("examples", "\n".join(document.get("examples") or ())),
            ("scopes", " ".join(found.scopes)),
            ("categories", ", ".join(capabilities.get("categories") or ())),
            ("cost", str(capabilities.get("cost_level") or "")),
            ("called at", found.url or ""),
        ]
    )


def _parameter(one: dict[str, Any]) -> str:
    kind = one.get("type") or "any"
    kinds = "|".join(kind) if isinstance(kind, list) else kind
    needed = ", required" if one.get("required") else ""
    return f"{one['name']} ({kinds}{needed}): {one.get('description') or ''}".rstrip(": ")


def _tell_farewell(found: Registration) -> None:
    if found.farewell:
        click.secho(tables.plain(found.farewell), fg="yellow", err=True)


def _tell_age(seconds: float) -> None:
    if seconds:
        click.secho(f"the registry does not answer; known {seconds:.0f} s ago:", fg="yellow", err=True)


COMMANDS = [search, list_, show, resolve, versions, stats]
