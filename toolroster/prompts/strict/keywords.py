"""What strict mode has of JSON Schema 2020-12: types, keywords of each, values, and words.

The subset is that of developers.openai.com/api/docs/guides/structured-outputs#supported-schemas. `default`
is taken by OpenAI but refused by Azure (openai-agents-python#4390), so it is told in words instead.
"""

import re
from typing import Any

from jsonschema import Draft202012Validator

from toolroster.prompts.prose import plain_value

Schema = dict[str, Any]

_NUMBERS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
KEPT: dict[str, frozenset[str]] = {
    "array": frozenset({"items", "maxItems", "minItems"}),
    "boolean": frozenset(),
    "integer": _NUMBERS,
    "null": frozenset(),
    "number": _NUMBERS,
    "object": frozenset({"additionalProperties", "properties", "required"}),
    "string": frozenset({"pattern"}),
}
"""The keywords that strict mode has for values of a type, beside `type`, `enum` and `const`."""
_FORMATS = frozenset(["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"])
_ALL_TYPES = frozenset(KEPT)
_OBJECT_ONLY = """dependencies dependentRequired dependentSchemas maxProperties minProperties
    patternProperties propertyNames unevaluatedProperties"""
_ARRAY_ONLY = "contains maxContains minContains prefixItems unevaluatedItems uniqueItems"
_ANY = "$dynamicRef $ref allOf anyOf const else enum if not oneOf then type"
CONSTRAINTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_ANY.split(), _ALL_TYPES),
    **dict.fromkeys([*_OBJECT_ONLY.split(), *KEPT["object"]], frozenset({"object"})),
    **dict.fromkeys([*_ARRAY_ONLY.split(), *KEPT["array"]], frozenset({"array"})),
    **dict.fromkeys(["maxLength", "minLength", *KEPT["string"]], frozenset({"string"})),
    **dict.fromkeys(_NUMBERS, frozenset({"integer", "number"})),
}
"""Keywords that decide whether a value is valid, and the types whose values they judge."""
_SILENT_IF_EMPTY = frozenset(
    {
        "dependentRequired",
        "dependentSchemas",
        "minLength",
        "minProperties",
        "patternProperties",
        "uniqueItems",
    }
)
_EXPRESSION_PARTS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\(?P<escaped>.)|\(\?(?P<group>.)", re.DOTALL)
"""Parts of a regular expression: sets of characters, what is escaped, and groups of a special kind."""
_DIGITS = frozenset("123456789")
_MOST_EXAMPLES = 3


def missing_keyword(schema: Schema, types: list[str]) -> str | None:
    """Return a keyword that judges values of these types and that strict mode lacks, None without one."""
    for keyword, value in schema.items():
        judged = CONSTRAINTS.get(keyword, frozenset()) & set(types)
        is_kept = keyword in {"const", "enum", "type"} or any(keyword in KEPT[name] for name in judged)
        is_silent = keyword in _SILENT_IF_EMPTY and not value
        if judged and not is_kept and not is_silent:
            return keyword
    if any(isinstance(value, dict | list) for value in [*schema.get("enum", []), schema.get("const")]):
        return "enum" if "enum" in schema else "const"
    return "pattern" if "string" in types and has_lookaround(schema) else None


def has_lookaround(schema: Schema) -> bool:
    """Tell whether the pattern has what OpenAI's lack: look-around, names, flags, back references.

    It refuses the request for them: vercel/ai#21037, litellm#40485.
    """
    parts = _EXPRESSION_PARTS.finditer(schema.get("pattern", ""))
    return any(part["group"] not in {None, ":"} or part["escaped"] in _DIGITS for part in parts)


def types_of(schema: Schema) -> list[str]:
    """Return the types whose values the schema allows, as named or as its values have them; [] if open."""
    named = schema.get("type", [])
    types = [named] if isinstance(named, str) else list(named)
    if "enum" not in schema and "const" not in schema:
        return types
    values = schema.get("enum", [schema.get("const")])
    found = types or list(dict.fromkeys(_type_of(value) for value in values))
    return [name for name in found if any(_is(value, name) for value in values)]


def values_for(schema: Schema, types: list[str]) -> Schema:
    """Return the `enum` and `const` of a schema for values of these types."""
    kept: Schema = {}
    if "enum" in schema:
        kept["enum"] = [value for value in schema["enum"] if any(_is(value, name) for name in types)]
    if "const" in schema:
        kept["const"] = schema["const"]
    return kept


def nullable(node: Schema) -> Schema:
    """Return a converted schema that takes null as well."""
    null: Schema = {"type": "null"}
    if takes_null(node):
        return node
    if "anyOf" in node:
        return node | {"anyOf": [*node["anyOf"], null]}
    if "type" not in node:
        return {"anyOf": [node, null]}
    values = node.get("enum", [node["const"]] if "const" in node else None)
    kept = {k: v for k, v in node.items() if k != "const"} | {"type": [*_as_list(node["type"]), "null"]}
    return kept if values is None else kept | {"enum": [*values, None]}


def takes_null(node: Schema) -> bool:
    """Tell whether a converted schema takes null; a reference is not followed."""
    return "null" in _as_list(node.get("type", [])) or any(map(takes_null, node.get("anyOf", [])))


def says_more(schema: Schema) -> bool:
    """Tell whether a schema has words that would be lost beside a reference."""
    return bool(schema.keys() & {"description", "title"}) or _hints(schema) != []


def in_words(node: Schema, schema: Schema) -> Schema:
    """Return a converted schema with the words of its original, and those of annotations it cannot have."""
    said = schema.get("description", "")
    if hints := _hints(schema):
        said = f"{said} ({'; '.join(hints)})".lstrip()
    words = {"title": schema.get("title", ""), "description": said}
    return {**{k: node[k] for k in ("type",) if k in node}, **{k: v for k, v in words.items() if v}, **node}


def format_of(schema: Schema) -> Schema:
    """Return the format if strict mode knows it; else `in_words` tells it."""
    known = schema.get("format") in _FORMATS and "string" in types_of(schema)
    return {"format": schema["format"]} if known else {}


def _hints(schema: Schema) -> list[str]:
    hints = [] if schema.get("default") is None else [f"default: {plain_value(schema['default'])}"]
    if isinstance(schema.get("format"), str) and not format_of(schema):
        hints.append(f"format: {plain_value(schema['format'])[1:-1]}")
    if isinstance(examples := schema.get("examples"), list) and examples:
        hints.append(f"examples: {', '.join(map(plain_value, examples[:_MOST_EXAMPLES]))}")
    return hints


def _as_list(named: str | list[str]) -> list[str]:
    return [named] if isinstance(named, str) else named


def _is(value: Any, name: str) -> bool:
    return bool(Draft202012Validator.TYPE_CHECKER.is_type(value, name))


def _type_of(value: Any) -> str:
    """Return the type of a value; 1 is a number and not an integer, so that it stays one with 1.5."""
    return next(name for name in sorted(_ALL_TYPES - {"integer"}) if _is(value, name))
