"""Follow references inside one schema, by JSON pointer."""

from typing import Any
from urllib.parse import unquote

from toolroster.schema_walk import Path


def follow(root: dict[str, Any], reference: str) -> tuple[Any, Path] | None:
    """Return the target of a local reference and its path; None where it is no pointer to a schema.

    An anchor, and a pointer that leads nowhere, give None as well.
    """
    path: list[str | int] = []
    target: Any = root
    tokens = unquote(reference).split("/")
    if tokens[0] != "#":
        return None
    for token in tokens[1:]:
        step = token.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict) and step in target:
            path.append(step)
        elif isinstance(target, list) and step.isdecimal() and int(step) < len(target):
            path.append(int(step))
        else:
            return None
        target = target[path[-1]]
    return (target, tuple(path)) if isinstance(target, dict | bool) else None


def resolved(root: dict[str, Any], schema: Any) -> Any:
    """Return the schema that a schema of nothing but a reference stands for; others as they are."""
    for _ in range(_MOST_HOPS):
        if not isinstance(schema, dict) or "$ref" not in schema:
            break
        found = follow(root, schema["$ref"])
        if found is None:
            break
        schema = found[0]
    return schema


_MOST_HOPS = 100
"""References that lead to references; published ones never lead in a circle."""
