"""The group of commands, and what a user is told when something goes wrong: never a traceback.

Exit codes: 0 done, 1 wrong or findings, 2 wrong usage, 3 no such tool, 4 not permitted, 5 try again later.
"""

import sys
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import get_completion_class

import toolroster
from toolroster.cli import calling, checking, describing, finding, locking, providing, tables
from toolroster.cli.session import Session
from toolroster.errors import PermissionMissing, ToolNotFound, ToolrosterError, Unauthenticated, Unavailable

_CODES: list[tuple[type[ToolrosterError], int]] = [
    (ToolNotFound, 3),
    (Unauthenticated, 4),
    (PermissionMissing, 4),
    (Unavailable, 5),
]


_ERROR = click.style("error: ", fg="red", bold=True)


class _Group(click.Group):
    """A group that tells errors of the library in words."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except ToolrosterError as error:
            for line in _lines(error):
                click.echo(line, err=True)
            context.exit(next((code for kind, code in _CODES if isinstance(error, kind)), 1))
        except BrokenPipeError:  # who reads has enough: click ends quietly
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            click.echo(f"{_ERROR}{tables.plain(f'{where}{error.strerror or error}')}", err=True)
            context.exit(1)


def _lines(error: ToolrosterError) -> Iterator[str]:
    yield _ERROR + tables.plain(error.detail)
    told = (f"  {fault.pointer}: {tables.plain(fault.detail)}" for fault in error.errors)
    yield from (line for line in told if line.strip() != error.detail)
    if error.nearest:
        yield f"did you mean: {', '.join(error.nearest)}"
    if error.retryable:
        after = error.retry_after_seconds
        yield "try again later" if after is None else f"try again in {after} s"


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", default="", help="The registry; else TOOLROSTER_URL, else what login noted.")
@click.option("--token", default="", help="An access token; else TOOLROSTER_TOKEN, or client id and secret.")
@click.option("--json", "is_json", is_flag=True, help="Print JSON.")
@click.version_option(toolroster.__version__, prog_name="toolroster")
@click.pass_context
def main(context: click.Context, url: str, token: str, *, is_json: bool) -> None:
    """Find, describe, register and call the tools of LLM agents."""
    context.obj = Session(url, token, is_json)
    _print_anything()


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what completes commands: eval "$(toolroster completion bash)"."""
    kind = get_completion_class(shell)
    if kind is not None:
        click.echo(kind(main, {}, "toolroster", "_TOOLROSTER_COMPLETE").source())


def _print_anything() -> None:
    """Let a terminal that cannot show a character show another one, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


for _module in (finding, describing, providing, checking, locking, calling):
    for _command in _module.COMMANDS:
        main.add_command(_command)
