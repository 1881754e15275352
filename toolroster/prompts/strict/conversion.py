"""Convert an input schema for OpenAI's strict mode, or say where it cannot be without another meaning.

Strict mode takes a subset of JSON Schema: every object is closed and requires all its properties, what is
optional is null instead, and of composition there is `anyOf` alone, below the root. The conversion only
narrows where a schema was silent: an object that declares its properties takes no others.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from toolroster.prompts.local_references import follow
from toolroster.prompts.strict.keywords import (
    CONSTRAINTS,
    KEPT,
    Schema,
    format_of,
    in_words,
    missing_keyword,
    nullable,
    says_more,
    types_of,
    values_for,
)
from toolroster.prompts.strict.limits import check_limits
from toolroster.prompts.strict.refusal import refuse
from toolroster.prompts.strict.unions import are_exclusive, forms_of
from toolroster.schema_walk import Path

_MOST_NODES = 10_000
_MOST_LEVELS = 40
"""Bounds of what copying the targets of references may cost, above what `limits` lets pass."""


def strict_schema(schema: Schema) -> Schema:
    """Return the schema as strict mode takes it; the given one is not changed.

    Raises:
        DocumentInvalid: it cannot be converted; its one fault points to where and says why.
    """
    converted = _Conversion(schema).whole()
    check_limits(converted)
    return converted


@dataclass(slots=True)
class _Conversion:
    """The state of one conversion.

    `definitions` maps a name to where the definition stands in the original. `within` are the places whose
    schemas are being converted: copying one of them into itself would never end.
    """

    root: Schema
    definitions: dict[str, Path] = field(default_factory=dict)
    within: list[Path] = field(default_factory=list)
    nodes: int = 0
    level: int = 0

    def whole(self) -> Schema:
        """Convert the root, then the definitions that it and they refer to."""
        converted = self.part(self.root, ())
        if converted.get("type") != "object":
            refuse((), "The root is no plain object.")
        done: Schema = {}
        while waiting := self.definitions.keys() - done.keys():
            name = min(waiting)
            place = self.definitions[name]
            done[name] = self.part(_at(self.root, place), place)
        return converted | {"$defs": {name: done[name] for name in sorted(done)}} if done else converted

    def part(self, schema: Any, place: Path) -> Schema:
        """Convert a schema that references may lead to."""
        self.within.append(place)
        converted = self.node(schema, place)
        self.within.pop()
        return converted

    def node(self, schema: Any, path: Path) -> Schema:
        """Convert one subschema."""
        self.nodes += 1
        self.level += 1
        if self.nodes > _MOST_NODES or self.level > _MOST_LEVELS:
            refuse(path, "With the targets of its references it is too large.")
        converted = self.by_kind(schema, path)
        self.level -= 1
        return converted

    def by_kind(self, schema: Any, path: Path) -> Schema:
        if not isinstance(schema, dict):
            refuse(path, "It allows any value, or none, and names no type.")
        if path and "$id" in schema:
            refuse((*path, "$id"), "An inner $id changes where references lead.")
        if "$ref" in schema:
            return self.reference(schema, path)
        if "allOf" in schema:
            return self.single(schema, path)
        keyword = next((name for name in ("anyOf", "oneOf") if name in schema), None)
        return self.union(schema, keyword, path) if keyword else self.typed(schema, path)

    def reference(self, schema: Schema, path: Path) -> Schema:
        """Keep a reference to a definition; copy the target where words stand beside it."""
        found = follow(self.root, schema["$ref"])
        if found is None:
            refuse((*path, "$ref"), "The reference is no JSON pointer to a schema.")
        target, place = found
        is_kept = _is_definition(place) and path and not says_more(schema)
        if is_kept or place in self.within:
            self.check_beside(schema, "$ref", target, path)
            return {"$ref": self.named(place, path)}
        self.within.append(place)
        converted = self.with_words_of(schema, "$ref", target, path, place)
        self.within.pop()
        return converted

    def named(self, place: Path, path: Path) -> str:
        """Return the reference to a definition, to be converted later."""
        if not place:
            return "#"
        if not _is_definition(place):
            refuse((*path, "$ref"), "The reference leads back to itself, and not by a definition.")
        name = re.sub(r"[^a-zA-Z0-9_.-]", "_", str(place[1]))
        if self.definitions.setdefault(name, place) != place:
            refuse((*path, "$ref"), f"Two definitions would be called {name}.")
        return f"#/$defs/{name}"

    def single(self, schema: Schema, path: Path) -> Schema:
        """Convert an `allOf` of one schema, which only gives it other words."""
        if len(schema["allOf"]) != 1:
            refuse((*path, "allOf"), "Strict mode has no allOf.")
        return self.with_words_of(schema, "allOf", schema["allOf"][0], path, (*path, "allOf", 0))

    def with_words_of(self, schema: Schema, keyword: str, target: Any, path: Path, place: Path) -> Schema:
        """Convert the target of a keyword with the words that stand beside the keyword."""
        self.check_beside(schema, keyword, target, path)
        words = {k: v for k, v in schema.items() if k not in CONSTRAINTS and not k.startswith("$")}
        return self.node({**target, **words} if isinstance(target, dict) else target, place)

    def check_beside(self, schema: Schema, keyword: str, target: Any, path: Path) -> None:
        """Refuse what constrains beside the keyword, unless the target says it or it says nothing."""
        for beside, value in schema.items():
            is_said = isinstance(target, dict) and beside in target and target[beside] == value
            if beside in CONSTRAINTS.keys() - {keyword} and not is_said and value not in ({}, []):
                refuse((*path, beside), f"It stands beside {keyword}, and both must hold.")

    def union(self, schema: Schema, keyword: str, path: Path) -> Schema:
        """Convert `anyOf`, and a `oneOf` whose forms exclude each other."""
        where = (*path, keyword)
        if not path:
            refuse(where, f"Strict mode has no {keyword} at the root.")
        forms = forms_of(self.root, schema, keyword)
        if forms is None:
            refuse(where, f"Something stands beside {keyword}, and both must hold.")
        if keyword == "oneOf" and not are_exclusive(self.root, forms):
            refuse(where, "Strict mode has no oneOf, and of this one several forms may fit.")
        converted = [self.node(form, (*where, index)) for index, form in enumerate(forms)]
        return in_words({"anyOf": converted}, schema)

    def typed(self, schema: Schema, path: Path) -> Schema:
        """Convert a schema without composition; one of several types becomes as many forms."""
        types = types_of(schema)
        if not types:
            refuse(path, "It names no type.")
        if keyword := missing_keyword(schema, types):
            refuse((*path, keyword), f"Strict mode has no {keyword} like this.")
        if len(set(types) - {"null"}) > 1:
            return in_words({"anyOf": [self.of_types(schema, [name], path) for name in types]}, schema)
        return in_words(self.of_types(schema, types, path), schema)

    def of_types(self, schema: Schema, types: list[str], path: Path) -> Schema:
        """Convert what a schema says of values of one type, or of null."""
        kept = {keyword for name in types for keyword in KEPT[name]} - KEPT["object"]
        node = {"type": types[0] if len(types) == 1 else types, **values_for(schema, types)}
        node |= {keyword: value for keyword, value in schema.items() if keyword in kept}
        if "string" in types:
            node |= format_of(schema)
        if "array" in types and "items" not in schema:
            refuse(path, "The array does not say what its items are.")
        if "array" in types:
            node["items"] = self.node(schema["items"], (*path, "items"))
        return node | self.closed(schema, path) if "object" in types else node

    def closed(self, schema: Schema, path: Path) -> Schema:
        """Close an object and require all its properties, null standing for what was optional."""
        properties, required = schema.get("properties", {}), schema.get("required", [])
        is_silent = "additionalProperties" not in schema
        if not (is_silent and (properties or not path)) and schema.get("additionalProperties") is not False:
            where = path if is_silent else (*path, "additionalProperties")
            refuse(where, "An object with members of any name cannot be closed.")
        if undeclared := [name for name in required if name not in properties]:
            refuse((*path, "required"), f"{undeclared[0]!r} is required but not declared.")
        converted = {name: self.node(sub, (*path, "properties", name)) for name, sub in properties.items()}
        return {
            "properties": {n: sub if n in required else nullable(sub) for n, sub in converted.items()},
            "required": list(properties),
            "additionalProperties": False,
        }


def _is_definition(place: Path) -> bool:
    return not place or (len(place) == 2 and place[0] in {"$defs", "definitions"})


def _at(root: Schema, place: Path) -> Any:
    target: Any = root
    for step in place:
        target = target[step]
    return target
