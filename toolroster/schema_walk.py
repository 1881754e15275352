"""Walk the subschemas of a JSON Schema 2020-12, knowing keywords from property names and values."""

from collections.abc import Callable, Iterator
from typing import Any

Path = tuple[str | int, ...]

ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is one schema."""
LIST = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is an array of schemas."""
MAP = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
"""Keywords whose value maps names to schemas (in the deprecated `dependencies`: or to arrays of names)."""
WORDS = frozenset({"$comment", "description", "examples", "title"})
"""Keywords that explain and never decide whether a value is valid."""


def pointer(path: Path) -> str:
    """Return the JSON pointer (RFC 6901) of a path."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def children(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Yield (path below the schema, subschema) for each direct subschema."""
    if not isinstance(schema, dict):
        return
    for keyword, value in schema.items():
        if keyword in ONE:
            yield (keyword,), value
        elif keyword in LIST and isinstance(value, list):
            yield from (((keyword, index), item) for index, item in enumerate(value))
        elif keyword in MAP and isinstance(value, dict):
            yield from (((keyword, name), item) for name, item in value.items())


def walk(schema: Any) -> Iterator[tuple[Path, int, Any]]:
    """Yield (path from the root, levels below the root, subschema) in the order of the text."""
    pending: list[tuple[Path, int, Any]] = [((), 0, schema)]
    while pending:
        path, depth, subschema = pending.pop()
        yield path, depth, subschema
        below = [(path + step, depth + 1, child) for step, child in children(subschema)]
        pending.extend(reversed(below))


def rewrite(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return a copy in which `change` has replaced each object schema, children first."""
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in ONE:
            copy[keyword] = rewrite(value, change)
        elif keyword in LIST and isinstance(value, list):
            copy[keyword] = [rewrite(item, change) for item in value]
        elif keyword in MAP and isinstance(value, dict):
            copy[keyword] = {name: rewrite(item, change) for name, item in value.items()}
        else:
            copy[keyword] = value
    return change(copy)


def without_words(schema: Any) -> Any:
    """Return the schema without the keywords that only explain."""
    return rewrite(schema, lambda node: {k: v for k, v in node.items() if k not in WORDS})
