"""`call`: use a tool."""

import json
from typing import Any

import click

from toolroster import arguments as call_arguments
from toolroster import strict_json
from toolroster.cli import tables
from toolroster.cli.session import Session
from toolroster.errors import DocumentInvalid, Malformed


@click.command()
@click.argument("ref")
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--arguments", "text", default="", metavar="JSON", help="All arguments as a JSON object.")
@click.pass_obj
def call(session: Session, ref: str, arguments: tuple[str, ...], text: str) -> None:
    """Call a tool: toolroster call calculator expression='17 * 23'.

    A value is read as JSON where the parameter is no text; it is checked before anything is called.
    """
    with session.registry() as registry:
        tool = registry.resolve(ref)
        result = registry.call(tool, **_given(arguments, text, tool.input_schema))
    if isinstance(result, str) and not session.is_json:
        click.echo(tables.plain(result))
    else:
        tables.as_json(result)


def _given(arguments: tuple[str, ...], text: str, schema: dict[str, Any]) -> dict[str, Any]:
    try:
        found = strict_json.loads(text.encode()) if text else {}
    except Malformed as error:
        raise DocumentInvalid(f"--arguments: {error.detail}") from error
    if not isinstance(found, dict):
        raise DocumentInvalid("--arguments is a JSON object.")
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise DocumentInvalid(f"{argument!r} is no argument; write name=value.")
        found[name] = _value(value, schema.get("properties", {}).get(name))
    return found


def _value(text: str, schema: Any) -> Any:
    """Read a value as JSON; as text where it is none, or where only a text fits."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError:
        return text
    is_wrong = isinstance(schema, dict) and bool(call_arguments.faults(value, schema))
    return text if is_wrong and not call_arguments.faults(text, schema) else value


def _refuse(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


COMMANDS = [call]
