"""What a schema must be to be published: valid 2020-12, local, bounded, and free of contradictions.

One bad schema makes some clients drop the whole tool list, so it is refused at the door (MCP 2026-07-28,
server/tools; limits of the model providers). Each fault points into the schema.
"""

import functools
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

from jsonschema import Draft202012Validator
from jsonschema_specifications import REGISTRY as SPECIFICATIONS

from toolroster.errors import Fault
from toolroster.schema_references import reference_faults
from toolroster.schema_walk import Path, pointer, walk

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_BYTES = 64 * 1024
MAX_DEPTH = 10
MAX_PROPERTIES = 5000
MAX_SUBSCHEMAS = 1000
_DECLARING = frozenset(
    {"$dynamicRef", "$ref", "allOf", "anyOf", "dependentSchemas", "if", "oneOf", "patternProperties"}
)
_HEADER_TYPES = frozenset({"string", "integer", "number", "boolean"})
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
_BOUNDS = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minContains", "maxContains"),
    ("minimum", "maximum"),
)


def input_faults(schema: Any) -> list[Fault]:
    """Return what forbids `schema` as a tool's input schema: its root must be an object schema."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return [Fault("/type", "not_an_object", "The root of an input schema has type: object.")]
    if not isinstance(schema.get("properties", {}), dict):
        return [Fault("/properties", "not_an_object", "`properties` is an object, {} for no parameters.")]
    return schema_faults(schema)


def schema_faults(schema: Any) -> list[Fault]:
    """Return what forbids `schema` anywhere in a document; [] when nothing does."""
    if not isinstance(schema, dict):
        return [Fault("", "not_an_object", "A schema is a JSON object.")]
    return list(_size_faults(schema)) or list(_dialect_faults(schema)) or list(_content_faults(schema))


def _size_faults(schema: dict[str, Any]) -> Iterator[Fault]:
    properties = subschemas = 0
    for path, depth, node in walk(schema):
        properties += len(_members(node, "properties"))
        subschemas += 1
        if depth > MAX_DEPTH:
            yield Fault(pointer(path), "too_deep", f"A schema is at most {MAX_DEPTH} levels deep.")
            return
    if properties > MAX_PROPERTIES:
        yield Fault("", "too_many_properties", f"A schema has at most {MAX_PROPERTIES} properties.")
    if subschemas - properties > MAX_SUBSCHEMAS:
        yield Fault("", "too_many_subschemas", f"A schema has at most {MAX_SUBSCHEMAS} subschemas.")
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        yield Fault("", "too_large", f"A schema has at most {MAX_BYTES} bytes, this one has {size}.")


def _dialect_faults(schema: dict[str, Any]) -> Iterator[Fault]:
    for path, _, node in walk(schema):
        dialect = node.get("$schema") if isinstance(node, dict) else None
        if isinstance(dialect, str) and dialect.removesuffix("#") != DIALECT:
            where = pointer((*path, "$schema"))
            yield Fault(where, "dialect_unsupported", f"Schemas here are JSON Schema 2020-12 ({DIALECT}).")
            return
    if _flat_metaschema().is_valid(schema):
        return
    errors = sorted(_metaschema().iter_errors(schema), key=lambda error: list(map(str, error.path)))
    found = (Fault(pointer(tuple(e.absolute_path)), "schema_invalid", e.message[:300]) for e in errors)
    yield from dict.fromkeys(found)  # each vocabulary of the metaschema finds the same


@functools.cache
def _metaschema() -> Draft202012Validator:
    return Draft202012Validator(Draft202012Validator.META_SCHEMA)


@functools.cache
def _flat_metaschema() -> Draft202012Validator:
    """Return the metaschema with its vocabularies merged into one: the same answer in a sixth of the time.

    The time goes into `$dynamicRef`, which is only there so that vocabularies can be exchanged.
    """
    root = Draft202012Validator.META_SCHEMA
    flat: dict[str, Any] = {"type": root["type"], "properties": dict(root["properties"]), "$defs": {}}
    for part in root["allOf"]:
        vocabulary = SPECIFICATIONS.contents(urljoin(DIALECT, part["$ref"]))
        flat["properties"] |= vocabulary["properties"]
        flat["$defs"] |= vocabulary.get("$defs", {})
    text = json.dumps(flat).replace('"$dynamicRef": "#meta"', '"$ref": "#"')
    return Draft202012Validator(json.loads(re.sub(r"meta/\w+#", "#", text)))


def _content_faults(schema: dict[str, Any]) -> Iterator[Fault]:
    yield from reference_faults(schema)
    headers: set[str] = set()
    for path, _, node in walk(schema):
        if isinstance(node, dict):
            yield from _pattern_faults(path, node)
            yield from _contradictions(path, node)
            yield from _header_faults(path, node, headers)


def _pattern_faults(path: Path, node: dict[str, Any]) -> Iterator[Fault]:
    patterns: list[tuple[Path, str]] = [(("pattern",), node["pattern"])] if "pattern" in node else []
    patterns += [(("patternProperties", name), name) for name in _members(node, "patternProperties")]
    for step, text in patterns:
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            yield Fault(pointer((*path, *step)), "pattern_invalid", f"{text[:100]!r}: {error}")


def _contradictions(path: Path, node: dict[str, Any]) -> Iterator[Fault]:
    """Yield what no call could ever satisfy."""
    for low, high in _BOUNDS:
        if low in node and high in node and node[low] > node[high]:
            yield Fault(pointer((*path, low)), "contradiction", f"{low} is greater than {high}.")
    if node.get("enum") == []:
        yield Fault(pointer((*path, "enum")), "contradiction", "An empty enum allows no value.")
    undeclared = [name for name in node.get("required", []) if name not in _members(node, "properties")]
    if undeclared and "properties" in node and _is_closed_to_others(node):
        yield Fault(
            pointer((*path, "required")), "contradiction", f"{undeclared[0]!r} is required but not declared."
        )
    if "default" in node:
        yield from _default_faults(path, node)


def _is_closed_to_others(node: dict[str, Any]) -> bool:
    """Tell whether undeclared names are refused; absent `additionalProperties` counts as closed.

    It does not where another keyword may declare more names beside the node's own.
    """
    if "additionalProperties" not in node:
        return not node.keys() & _DECLARING
    return node["additionalProperties"] is False and not node.get("patternProperties")


def _default_faults(path: Path, node: dict[str, Any]) -> Iterator[Fault]:
    own = {k: node[k] for k in ("type", "enum", "const") if k in node}
    if not Draft202012Validator(own).is_valid(node["default"]):
        yield Fault(
            pointer((*path, "default")), "contradiction", "The default is not a value that the schema allows."
        )


def _header_faults(path: Path, node: dict[str, Any], seen: set[str]) -> Iterator[Fault]:
    """Check `x-mcp-header`: a client drops a tool whose annotation is wrong (MCP 2026-07-28)."""
    if "x-mcp-header" not in node:
        return
    where = pointer((*path, "x-mcp-header"))
    name = node["x-mcp-header"]
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        yield Fault(where, "header_invalid", "x-mcp-header is a header name (RFC 9110 token).")
    elif name.lower() in seen:
        yield Fault(where, "header_twice", f"{name!r} mirrors more than one parameter.")
    elif not isinstance(node.get("type"), str) or node["type"] not in _HEADER_TYPES:
        yield Fault(where, "header_invalid", "x-mcp-header needs a parameter of a primitive type.")
    else:
        seen.add(name.lower())


def _members(node: Any, keyword: str) -> dict[str, Any]:
    value = node.get(keyword, {}) if isinstance(node, dict) else {}
    return value if isinstance(value, dict) else {}
