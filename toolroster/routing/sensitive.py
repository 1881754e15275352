"""Take out of arguments what their schema marks with `x-sensitive`."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

HIDDEN = "[sensitive]"
_DEEPEST = 50


def redacted(value: Any, schema: Mapping[str, Any]) -> Any:
    """Return a value without what is sensitive in it; a reference that cannot be followed hides it all.

    An object of arguments stays an object: where all of it is sensitive, each of its members is hidden.
    """
    shown = _redacted(value, schema, schema, _DEEPEST)
    if isinstance(value, Mapping) and not isinstance(shown, Mapping):
        return dict.fromkeys(value, HIDDEN)
    return shown


def _redacted(value: Any, schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping):
        return value
    if depth == 0 or schema.get("x-sensitive") is True or _UNFOLLOWED & schema.keys():
        return HIDDEN
    if "$ref" in schema:
        value = _redacted(value, _target(str(schema["$ref"]), root), root, depth - 1)
    for branch in _branches(schema):
        value = _redacted(value, branch, root, depth - 1)
    if isinstance(value, Mapping):
        return {name: _shown(one, _of_property(schema, name), root, depth - 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_shown(one, _of_item(schema, place), root, depth - 1) for place, one in enumerate(value)]
    return value


_UNFOLLOWED = frozenset({"$dynamicRef", "$recursiveRef"})


def _shown(value: Any, schemas: list[Any], root: Mapping[str, Any], depth: int) -> Any:
    for schema in schemas:
        value = _redacted(value, schema, root, depth)
    return value


def _branches(schema: Mapping[str, Any]) -> list[Any]:
    """Return every schema that may also speak of a value: whether it does is not asked."""
    listed = [one for name in ("anyOf", "oneOf", "allOf") for one in schema.get(name) or ()]
    conditional = [schema[name] for name in ("if", "then", "else", "not") if name in schema]
    return [*listed, *conditional, *(schema.get("dependentSchemas") or {}).values()]


def _of_property(schema: Mapping[str, Any], name: str) -> list[Any]:
    known, patterns = schema.get("properties") or {}, schema.get("patternProperties") or {}
    found = [known[name]] if name in known else []
    found += [about for pattern, about in patterns.items() if _matches(pattern, name)]
    return found or [schema.get("additionalProperties"), schema.get("unevaluatedProperties")]


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:  # of another dialect: hide what it may mean
        return True


def _of_item(schema: Mapping[str, Any], place: int) -> list[Any]:
    fixed = schema.get("prefixItems") or ()
    known = [fixed[place]] if place < len(fixed) else [schema.get("items"), schema.get("unevaluatedItems")]
    return [*known, schema.get("contains")]


def _target(ref: str, root: Mapping[str, Any]) -> Any:
    """Return what a pointer into the schema means; what is no pointer is not followed, and hides all."""
    if ref != "#" and not ref.startswith("#/"):
        return {"x-sensitive": True}
    found: Any = root
    for step in unquote(ref).split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = _step(found, name)
    return found if found is not None else {"x-sensitive": True}


def _step(found: Any, name: str) -> Any:
    if isinstance(found, Mapping):
        return found.get(name)
    is_place = isinstance(found, list) and name.isdecimal() and int(name) < len(found)
    return found[int(name)] if is_place else None
