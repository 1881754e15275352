"""`describe`: what to tell a model."""

from typing import Any

import click

from toolroster import prompts
from toolroster.cli import tables
from toolroster.cli.finding import filters, filters_of
from toolroster.cli.session import Session


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--format", "format_", type=click.Choice(prompts.FORMATS), default="seed_004", show_default=True
)
@click.option("--language", type=click.Choice(prompts.LANGUAGES), default="en", show_default=True)
@click.option("--max-tokens", type=click.IntRange(1), help="Rough bound of what is printed.")
@click.option("--top", "top_k", default=20, show_default=True, help="How many at most, with a query.")
@filters
@click.pass_obj
def describe(
    session: Session,
    /,
    query: tuple[str, ...],
    format_: str,
    language: str,
    max_tokens: int | None,
    **given: Any,
) -> None:
    """Print tools for a prompt, or as the list that a vendor's API takes; with QUERY only what fits it."""
    top_k = given.pop("top_k")
    with session.registry() as registry:
        if query:
            results = registry.search(" ".join(query), top_k=top_k, **filters_of(given))
            documents = [one["tool"] for one in results]
        else:
            documents = [row.document for row in registry.available(**filters_of(given))]
    told = prompts.describe(documents, format=format_, language=language, max_tokens=max_tokens)
    if isinstance(told.content, str):
        click.echo(tables.plain(told.content))
    else:
        tables.as_json(told.content)
    for note in told.notes:
        click.secho(f"{note.tool_id}{note.pointer}: {note.reason}", fg="yellow", err=True)
    if told.left_out:
        click.secho(f"{len(told.left_out)} more are beyond the budget", fg="yellow", err=True)


COMMANDS = [describe]
