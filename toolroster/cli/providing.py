"""`login`, `register`, `lint`: for those who provide tools."""

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import httpx

from toolroster import lint as rules
from toolroster.access import Access, registry_url_of
from toolroster.cli import session as sessions
from toolroster.cli import tables
from toolroster.cli.session import Session
from toolroster.cli.sources import documents_in, read
from toolroster.errors import Unavailable

_AT_ONCE = 100
_COLORS = {"error": "red", "warning": "yellow", "advice": "cyan"}


@click.command()
@click.option("--url", prompt="Address of the registry", default=sessions.DEFAULT_URL, show_default=True)
@click.option("--client-id", prompt="Client id")
@click.option("--client-secret", prompt="Client secret", hide_input=True)
def login(url: str, client_id: str, client_secret: str) -> None:
    """Try a client's id and secret, and note them for this user."""
    address = registry_url_of(url)
    auth = Access(client_id, client_secret).auth(address)
    with httpx.Client(timeout=10, auth=auth) as client:
        if "tools" not in read(client.get, f"{address}/api/stats"):
            raise Unavailable(f"{address} does not answer as a registry does.")
    path = sessions.note({"url": address, "client_id": client_id, "client_secret": client_secret})
    click.echo(f"noted in {path}")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def register(session: Session, file: Path) -> None:
    """Register the document, or the list of documents, in a JSON file."""
    documents = documents_in(file)
    results: list[dict[str, Any]] = []
    with httpx.Client(timeout=60, auth=session.access.auth(session.registry_url)) as client:
        parts = [documents[place : place + _AT_ONCE] for place in range(0, len(documents), _AT_ONCE)]
        with (
            contextlib.ExitStack() as at_the_end,
            click.progressbar(parts, label="registering", file=sys.stderr) as shown,
        ):
            at_the_end.callback(lambda: _tell(session, results))  # also of what was done before a failure
            for part in shown:
                url = f"{session.registry_url}/api/tools/register"
                answer = read(client.post, url, json={"tools": part})
                results += answer["results"] if isinstance(answer.get("results"), list) else []
    refused = [one for one in results if one["outcome"] == "refused"]
    for one in refused:
        click.echo(f"{one['tool_id']}: {'; '.join(_reasons(one.get('problem') or {}))}", err=True)
    if refused:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave a rule out.")
@click.option("--advice/--no-advice", default=True, help="Print advice as well.")
@click.option("--rules", "is_listing", is_flag=True, help="List the rules.")
@click.pass_obj
def lint(session: Session, /, files: tuple[Path, ...], ignore: tuple[str, ...], **given: bool) -> None:
    """Say how the documents in JSON files could be clearer to a model; errors and warnings exit with 1."""
    if given["is_listing"]:
        tables.table(("RULE", "LEVEL", "ABOUT"), [(one.id, one.level, one.summary) for one in rules.RULES])
        return
    found = [
        (f"{file}#{number}", finding)
        for file in files
        for number, document in enumerate(documents_in(file))
        for finding in rules.lint(document, ignore=ignore)
        if given["advice"] or finding.level != "advice"
    ]
    if session.is_json:
        tables.as_json([{"document": where, **finding.as_json()} for where, finding in found])
    for where, finding in found if not session.is_json else ():
        level = click.style(finding.level, fg=_COLORS[finding.level], bold=True)
        click.echo(f"{where}{finding.pointer}: {level}: {finding.message} [{finding.rule}]")
        click.echo(f"    {finding.fix}")
    if any(finding.level != "advice" for _, finding in found):
        raise click.exceptions.Exit(1)


def _tell(session: Session, results: list[dict[str, Any]]) -> None:
    if session.is_json:
        tables.as_json(results)
    else:
        rows = [(str(one["tool_id"]), one["outcome"], ", ".join(one.get("changes") or ())) for one in results]
        tables.table(("TOOL", "OUTCOME", "CHANGES"), rows)


def _reasons(problem: dict[str, Any]) -> Iterator[str]:
    yield str(problem.get("detail") or "no reason was given")
    yield from (f"{one['pointer']}: {one['detail']}" for one in problem.get("errors") or ())


COMMANDS = [login, register, lint]
