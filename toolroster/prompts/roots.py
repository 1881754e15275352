"""Put a schema with composition at its root into the plain form that vendors ask for.

Anthropic refuses a whole request for one tool whose root has oneOf, allOf or anyOf, OpenAI for these, enum
and not (makenotion/notion-mcp-server#340, langchainjs#9804). The properties of the forms become properties of
the root, so that a model sees them, and what must hold besides is told in words.
"""

import json
from typing import Any

from toolroster.prompts.local_references import resolved
from toolroster.schema_walk import walk

Schema = dict[str, Any]

_COMPOSITION = frozenset({"$ref", "allOf", "anyOf", "const", "enum", "not", "oneOf"})
_RULE = "The arguments must also be valid against this JSON Schema: "


def plain_root(schema: Schema) -> tuple[Schema, str]:
    """Return the schema without composition at its root, and what that leaves to be said in words.

    The words are "" where nothing is. A required property that is declared nowhere is told in words alone.
    """
    taken = {keyword: value for keyword, value in schema.items() if keyword in _COMPOSITION}
    if not taken:
        return schema, ""
    if _leads_into(schema, taken):
        return {"type": "object", "properties": {}}, _RULE + _json(schema)
    kept = {keyword: value for keyword, value in schema.items() if keyword not in taken}
    return kept | _surfaced(schema), _RULE + _json(taken)


def _leads_into(schema: Schema, taken: Schema) -> bool:
    references = [node["$ref"] for _, _, node in walk(schema) if isinstance(node, dict) and "$ref" in node]
    return any(reference.split("/")[1:2] == [keyword] for reference in references for keyword in taken)


def _surfaced(schema: Schema) -> Schema:
    """Return `properties` and `required` of the root, joined with those that its forms declare.

    A closed root gains no properties: it refuses what only a form declares.
    """
    properties, required = dict(schema.get("properties", {})), list(schema.get("required", []))
    for forms in _groups(schema):
        if schema.get("additionalProperties") is not False:
            properties = properties | _declared_by(forms, properties)
        required += [name for name in forms[0]["required"] if all(name in form["required"] for form in forms)]
    names = [name for name in dict.fromkeys(required) if name in properties]
    return {"properties": properties} | ({"required": names} if names else {})


def _groups(schema: Schema) -> list[list[Schema]]:
    """Return the forms of the root in groups: of each, one form must hold."""
    alone = [{"$ref": schema["$ref"]}] if "$ref" in schema else []
    groups = [[form] for form in [*alone, *schema.get("allOf", [])]]
    groups += [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    return [[_form(schema, form) for form in forms] for forms in groups]


def _form(root: Schema, form: Any) -> Schema:
    target = resolved(root, form)
    known = target if isinstance(target, dict) else {}
    return {"properties": known.get("properties", {}), "required": known.get("required", [])}


def _declared_by(forms: list[Schema], known: Schema) -> Schema:
    """Return what only forms declare; a property that they declare in different ways may be any of them."""
    found: dict[str, list[Any]] = {}
    for name, schema in (item for form in forms for item in form["properties"].items()):
        if name not in known and schema not in found.setdefault(name, []):
            found[name].append(schema)
    return {name: schemas[0] if len(schemas) == 1 else {"anyOf": schemas} for name, schemas in found.items()}


def _json(schema: Schema) -> str:
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
