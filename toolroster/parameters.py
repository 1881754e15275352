"""Parameters and the JSON Schema 2020-12 they stand for, both ways without loss.

A parameter list describes the properties of one object. `to_schema` and `from_schema` are inverse to each
other: keywords of the schema's root that no parameter can carry come and go as `root`, and a boolean
subschema comes back in its object form. Inside a parameter `required` says whether the parameter itself is
required; the `required` keyword of a nested object travels as `required_properties`. Unknown keywords that
are called like a field of a parameter, such as `name`, travel with `x-` before them.
"""

import re
from typing import Any

Schema = dict[str, Any]
Subschema = Schema | bool

_CARRIED = re.compile(r"(x-)*(name|required_properties|defaultValue|enumValues|requiredProperties)")
"""Keywords that would be read as fields of the parameter, in our spelling or the Java client's."""
_OWN = frozenset({"name", "required"})


def to_schema(parameters: list[Schema], *, root: Schema | None = None) -> Schema:
    """Return the schema of the object that has these parameters as properties.

    `root` holds further keywords of the schema's root, as `from_schema` returned them.
    """
    properties = {parameter["name"]: _property(parameter) for parameter in parameters}
    required = [parameter["name"] for parameter in parameters if parameter.get("required")]
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {**schema, **(root or {})}


def from_schema(schema: Schema) -> tuple[list[Schema], Schema]:
    """Split an object schema into its parameters and the keywords of its root that they cannot carry."""
    required: list[str] = schema.get("required", [])
    properties = schema.get("properties", {})
    parameters = [
        _parameter(name, subschema, is_required=name in required) for name, subschema in properties.items()
    ]
    root = {k: v for k, v in schema.items() if k not in {"type", "properties", "required"}}
    if "required" in schema and required != ([name for name in properties if name in required] or None):
        root["required"] = required  # empty, or its order differs from the properties'
    return parameters, root


def carried(keyword: str) -> str:
    """Return what a keyword of a property's schema is called in the parameter."""
    if keyword == "required":
        return "required_properties"
    return f"x-{keyword}" if _CARRIED.fullmatch(keyword) else keyword


def _keyword(carried_as: str) -> str:
    if carried_as == "required_properties":
        return "required"
    return carried_as.removeprefix("x-") if _CARRIED.fullmatch(carried_as) else carried_as


def _property(parameter: Schema) -> Schema:
    return {_keyword(k): v for k, v in parameter.items() if k not in _OWN}


def _parameter(name: str, subschema: Subschema, *, is_required: bool) -> Schema:
    keywords = {carried(k): v for k, v in as_object(subschema).items()}
    return {"name": name, **keywords, "required": is_required}


def as_object(subschema: Subschema) -> Schema:
    """Return the object form of a schema: `true` is `{}`, `false` is `{"not": {}}` (2020-12 core §4.3.2)."""
    if isinstance(subschema, bool):
        return {} if subschema else {"not": {}}
    return subschema
