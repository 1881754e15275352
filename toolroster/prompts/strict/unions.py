"""When forms that exclude each other make `oneOf` as good as `anyOf`, which strict mode has."""

import itertools
from typing import Any

from toolroster.prompts.local_references import resolved
from toolroster.prompts.strict.keywords import CONSTRAINTS, Schema, types_of

_MOST_FORMS = 100
"""Each is compared with each."""
_COMPOSING = frozenset({"$dynamicRef", "$ref", "allOf", "anyOf", "const", "enum", "if", "not", "oneOf"})


def forms_of(root: Schema, schema: Schema, keyword: str) -> list[Any] | None:
    """Return the forms of a union, with the type that stands beside it; None if both cannot be one."""
    if schema.keys() & CONSTRAINTS.keys() - {keyword, "type"}:
        return None
    forms = [_with_type(root, form, schema.get("type")) for form in schema[keyword]]
    return None if any(form is None for form in forms) else forms


def _with_type(root: Schema, form: Any, named: Any) -> Any:
    target = resolved(root, form)
    if named is None or (isinstance(target, dict) and target.get("type") == named):
        return form
    if isinstance(form, dict) and "type" not in form and not form.keys() & _COMPOSING:
        return {"type": named, **form}
    return None


def are_exclusive(root: Schema, forms: list[Any]) -> bool:
    """Tell whether never more than one form fits: by type, or by a tag, as in discriminated unions."""
    targets = [resolved(root, form) for form in forms]
    if len(forms) > _MOST_FORMS or not all(isinstance(target, dict) for target in targets):
        return False
    pairs = itertools.combinations(targets, 2)
    return all(_types_differ(one, other) or _tags_differ(one, other) for one, other in pairs)


def _types_differ(one: Schema, other: Schema) -> bool:
    first, second = _types(one), _types(other)
    return bool(first and second) and first.isdisjoint(second)


def _types(form: Schema) -> set[str]:
    types = set(types_of(form))
    return types | {"integer"} if "number" in types else types


def _tags_differ(one: Schema, other: Schema) -> bool:
    """Tell whether both are objects with a required property that has other words in each."""
    if types_of(one) != ["object"] or types_of(other) != ["object"]:
        return False
    shared = set(one.get("required", [])) & set(other.get("required", []))
    pairs = ((_tags(one, name), _tags(other, name)) for name in shared)
    return any(first and second and first.isdisjoint(second) for first, second in pairs)


def _tags(form: Schema, name: str) -> set[str]:
    """Return the words that a property is limited to; of other values equality is harder to tell."""
    schema = form.get("properties", {}).get(name)
    values = schema.get("enum", [schema.get("const")]) if isinstance(schema, dict) else []
    return set(values) if all(isinstance(value, str) for value in values) else set()
