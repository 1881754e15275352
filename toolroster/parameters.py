"""Parameters and the JSON Schema 2020-12 they stand for, both ways without loss.

A parameter list describes the properties of one object. `to_schema` and `from_schema` are inverse to each
other: keywords of the schema's root that no parameter can carry come and go as `root`. Inside a parameter
`required` says whether the parameter itself is required; the `required` keyword of a nested object
travels as `required_properties`, and an annotation called `name` as `x-name`.
"""

from typing import Any

Schema = dict[str, Any]
Subschema = Schema | bool

_CARRIED = {"required": "required_properties", "name": "x-name"}
_BACK = {carried: keyword for keyword, carried in _CARRIED.items()}
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
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    parameters = [
        _parameter(name, subschema, is_required=name in required) for name, subschema in properties.items()
    ]
    root = {k: v for k, v in schema.items() if k not in {"type", "properties", "required"}}
    if required and required != [name for name in properties if name in required]:
        root["required"] = required  # its order differs from the properties'
    return parameters, root


def _property(parameter: Schema) -> Schema:
    return {_BACK.get(k, k): v for k, v in parameter.items() if k not in _OWN}


def _parameter(name: str, subschema: Subschema, *, is_required: bool) -> Schema:
    keywords = as_object(subschema)
    carried = {_CARRIED.get(k, k): v for k, v in keywords.items()}
    return {"name": name, **carried, "required": is_required}


def as_object(subschema: Subschema) -> Schema:
    """Return the object form of a schema: `true` is `{}`, `false` is `{"not": {}}` (2020-12 core §4.3.2)."""
    if isinstance(subschema, bool):
        return {} if subschema else {"not": {}}
    return subschema
