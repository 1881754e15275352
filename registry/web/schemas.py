"""JSON Schemas as rows of a table: for the parameters of a tool and for the API's own shapes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_DEEPEST = 4
"""Levels of nested objects that are shown; deeper ones are in the JSON."""
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_LIMITS = {
    "format": "{}",
    "pattern": "matches {}",
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "exclusiveMinimum": "> {}",
    "exclusiveMaximum": "< {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One value: its dotted name, what it may be, what it means, and the shape it has, if one with a name."""

    name: str
    type: str
    is_required: bool
    default: str
    limits: str
    description: str
    refers_to: str = ""


def rows_of(schema: Any, prefix: str = "", depth: int = 0) -> Iterator[Row]:
    """Yield a row for each property of an object schema, nested ones behind their parent."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return
    required = schema.get("required", [])
    for name, inner in schema["properties"].items():
        yield row_of(f"{prefix}{name}", inner, is_required=name in required)
        if depth < _DEEPEST and isinstance(inner, dict):
            yield from rows_of(inner, f"{prefix}{name}.", depth + 1)
            yield from rows_of(inner.get("items"), f"{prefix}{name}[].", depth + 1)


def row_of(name: str, schema: Any, *, is_required: bool) -> Row:
    """Return the row of one value."""
    known = schema if isinstance(schema, dict) else {}
    return Row(
        name=name,
        type=type_of(schema),
        is_required=is_required,
        default=json.dumps(known["default"], ensure_ascii=False) if "default" in known else "",
        limits=limits_of(known),
        description=str(known.get("description", "")),
        refers_to=_reference_in(known),
    )


def type_of(schema: Any, depth: int = 0) -> str:
    """Return the type in words: `string`, `array of integer`, `Problem`, `string | null`."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "any"
    if isinstance(schema.get("$ref"), str):
        return _last(schema["$ref"])
    for keyword in _ALTERNATIVES:
        if isinstance(schema.get(keyword), list):
            return " | ".join(dict.fromkeys(type_of(one, depth + 1) for one in schema[keyword]))
    kind = schema.get("type", "any")
    if kind == "array" and "items" in schema:
        return f"array of {type_of(schema['items'], depth + 1)}"
    return " | ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def limits_of(schema: dict[str, Any]) -> str:
    """Return what a value must keep to, in words."""
    found = [text.format(schema[keyword]) for keyword, text in _LIMITS.items() if keyword in schema]
    if isinstance(schema.get("enum"), list):
        found.insert(0, "one of " + ", ".join(json.dumps(one, ensure_ascii=False) for one in schema["enum"]))
    return "; ".join(found)


def _reference_in(schema: dict[str, Any]) -> str:
    """Return the name of the shape that a value has or lists."""
    inner = [schema, schema.get("items"), *(schema.get("anyOf") or []), *(schema.get("allOf") or [])]
    found = [one["$ref"] for one in inner if isinstance(one, dict) and isinstance(one.get("$ref"), str)]
    return _last(found[0]) if found else ""


def _last(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]
