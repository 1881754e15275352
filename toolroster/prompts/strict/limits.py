"""How large a schema may be for strict mode (OpenAI, Structured Outputs, Supported schemas)."""

from typing import Any

from toolroster.prompts.strict.refusal import refuse
from toolroster.schema_walk import walk

MOST_PROPERTIES = 5000
MOST_LEVELS = 10
MOST_ENUM_VALUES = 1000
MOST_CHARS = 120_000
"""Of all names of properties and definitions, and values of `enum` and `const`."""
LONG_ENUM = 250
MOST_CHARS_OF_LONG_ENUM = 15_000


def check_limits(schema: dict[str, Any]) -> None:
    """Let a converted schema pass that is not too large.

    Raises:
        DocumentInvalid: with the limit that it is over.
    """
    nodes = [(depth, node) for _, depth, node in walk(schema) if isinstance(node, dict)]
    names = [name for _, node in nodes for name in node.get("properties", {})]
    enums = [node["enum"] for _, node in nodes if "enum" in node]
    constants = [node["const"] for _, node in nodes if "const" in node]
    values = [value for enum in enums for value in enum]
    long = [enum for enum in enums if len(enum) > LONG_ENUM]
    _most("levels", max(depth for depth, _ in nodes), MOST_LEVELS)
    _most("properties", len(names), MOST_PROPERTIES)
    _most("values of enums", len(values), MOST_ENUM_VALUES)
    texts = [*names, *values, *constants, *schema.get("$defs", {})]
    _most("characters of names and values", _chars(texts), MOST_CHARS)
    _most("characters of a long enum", max(map(_chars, long), default=0), MOST_CHARS_OF_LONG_ENUM)


def _most(what: str, count: int, most: int) -> None:
    if count > most:
        refuse((), f"It has {count} {what}, strict mode takes at most {most}.")


def _chars(values: list[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))
