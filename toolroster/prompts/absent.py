"""Take back the nulls by which a model in strict mode says that it leaves an argument out.

Strict mode requires every property, so that an optional one takes null; the tool's own schema may not.
"""

from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry

from toolroster.prompts.local_references import resolved

Schema = dict[str, Any]


def without_absent(arguments: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """Return the arguments without the nulls of optional properties that the tool's schema refuses.

    It may be applied to any call: other nulls stay, and so do arguments that fit no form of a union.
    """
    validator = Draft202012Validator(schema, registry=Registry())
    kept: dict[str, Any] = _Restoration(schema, validator).value(arguments, schema)
    return kept


@dataclass(slots=True)
class _Restoration:
    """The state of one call: `known` keeps what was found, as forms of unions ask for the same values."""

    root: Schema
    validator: Draft202012Validator
    known: dict[tuple[int, int], Any] = field(default_factory=dict)

    def value(self, value: Any, schema: Any) -> Any:
        if not isinstance(value, dict | list) or not isinstance(schema, dict):
            return value
        place = (id(value), id(schema))  # both live as long as the call
        if place not in self.known:
            self.known[place] = value  # for references that lead in a circle
            self.known[place] = self.restored(value, schema)
        return self.known[place]

    def restored(self, value: Any, schema: Schema) -> Any:
        if "$ref" in schema:
            value = self.value(value, resolved(self.root, schema))
        for part in schema.get("allOf", []):
            value = self.value(value, part)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                value = self.fitting(value, schema[keyword])
        if isinstance(value, list):
            return [self.value(item, schema.get("items")) for item in value]
        return self.members(value, schema)

    def fitting(self, value: Any, forms: list[Any]) -> Any:
        candidates = ((self.value(value, form), form) for form in forms)
        return next((candidate for candidate, form in candidates if self.takes(candidate, form)), value)

    def members(self, value: dict[str, Any], schema: Schema) -> dict[str, Any]:
        properties, required = schema.get("properties", {}), schema.get("required", [])
        optional = properties.keys() - set(required)
        return {
            name: self.value(item, properties.get(name))
            for name, item in value.items()
            if item is not None or name not in optional or self.takes(None, properties[name])
        }

    def takes(self, value: Any, schema: Any) -> bool:
        """Tell whether a subschema takes the value; its references start from the root."""
        return self.validator.evolve(schema=schema).is_valid(value)
