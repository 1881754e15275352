"""Make pairs of schemas that are near each other, from a seed."""

import copy
from random import Random
from typing import Any

from toolroster.schema_walk import rewrite, walk

Schema = dict[str, Any]
_NAMES = ("a", "b", "c", "d")
_PATTERNS = ("^a", "b$", "^[ab]{1,3}$", ".*", "x")


def schema(random: Random, depth: int = 0) -> Schema:
    """Make any schema of the vocabulary of tools."""
    kinds = ["string", "integer", "number", "boolean", "enum", "const", "nullable", "any"]
    if depth < 2:
        kinds += ["object", "object", "array", "tuple", "anyOf", "oneOf", "not", "allOf", "if"]
    made: Schema = _MAKERS[random.choice(kinds)](random, depth)
    return made


def tool(random: Random) -> Schema:
    """Make the schema of a tool's input."""
    return _object(random, 0)


def near(random: Random, old: Schema) -> Schema:
    """Return a copy with one to three changes."""
    new = copy.deepcopy(old)
    for _ in range(random.randint(1, 3)):
        nodes = [node for _, _, node in walk(new) if isinstance(node, dict)]
        _CHANGES[random.randrange(len(_CHANGES))](random, random.choice(nodes))
    return new


def closed(schema: Schema) -> Schema:
    """Write out what inputs of tools mean: nothing beside the declared names."""

    def close(node: Schema) -> Schema:
        is_open = "properties" in node and "additionalProperties" not in node
        return node | {"additionalProperties": False} if is_open else node

    changed: Schema = rewrite(schema, close)
    return changed


def value(random: Random, schema: Any, depth: int = 0) -> Any:
    """Make a value that a schema may take, or nearly."""
    if depth > 3 or random.random() < 0.15 or not isinstance(schema, dict):
        return random.choice([None, True, False, 0, 1, 2, 3, 5, 1.5, -1, "", "a", "ab", "b", "x", [], {}])
    choices = [schema[keyword] for keyword in ("anyOf", "oneOf", "allOf") if schema.get(keyword)]
    if choices and random.random() < 0.8:
        return value(random, random.choice(choices[0]), depth + 1)
    if schema.get("enum") and random.random() < 0.9:
        return random.choice(schema["enum"])
    return _typed(random, schema, depth)


def _typed(random: Random, schema: Schema, depth: int) -> Any:
    kind = schema.get("type")
    kind = random.choice(kind) if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        return _members(random, schema, depth)
    return _entries(random, schema, depth) if kind == "array" else _scalar(random, kind, schema)


def _members(random: Random, schema: Schema, depth: int) -> dict[str, Any]:
    declared = schema.get("properties", {})
    names = [n for n in declared if n in schema.get("required", ()) or random.random() < 0.5]
    names += [random.choice(_NAMES)] if random.random() < 0.15 else []
    return {name: value(random, declared.get(name, True), depth + 1) for name in names}


def _entries(random: Random, schema: Schema, depth: int) -> list[Any]:
    prefix, rest = schema.get("prefixItems", []), schema.get("items", True)
    count = random.randint(0, 3)
    schemas = [prefix[place] if place < len(prefix) else rest for place in range(count)]
    return [value(random, one, depth + 1) for one in schemas]


def _scalar(random: Random, kind: Any, schema: Schema) -> Any:
    edges = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
    near_edges = [edge + step for edge in edges for step in (-1, 0, 1)]
    if kind == "integer":
        return random.choice([*near_edges, 0, 1, 2, 3, 6, 10])
    if kind == "number":
        return random.choice([*near_edges, 0.5, 1, 1.5, 3, 6.25])
    if kind == "boolean":
        return random.random() < 0.5
    lengths = [schema.get("minLength", 1), schema.get("maxLength", 3)]
    return random.choice(["", "a", "ab", "b", "xb", "aab", "x" * lengths[0], "a" * lengths[1]])


def _string(random: Random, _: int) -> Schema:
    made: Schema = {"type": "string"}
    if random.random() < 0.4:
        made["minLength"] = random.randint(0, 2)
    if random.random() < 0.4:
        made["maxLength"] = random.randint(2, 4)
    if random.random() < 0.3:
        made["pattern"] = random.choice(_PATTERNS)
    return made


def _number(kind: str) -> Any:
    def make(random: Random, _: int) -> Schema:
        made: Schema = {"type": kind}
        if random.random() < 0.5:
            made[random.choice(["minimum", "exclusiveMinimum"])] = random.randint(0, 3)
        if random.random() < 0.5:
            made[random.choice(["maximum", "exclusiveMaximum"])] = random.randint(3, 6)
        if random.random() < 0.2:
            made["multipleOf"] = random.choice([1, 2, 3, 0.5])
        return made

    return make


def _object(random: Random, depth: int) -> Schema:
    names = random.sample(_NAMES, random.randint(0, 3))
    made: Schema = {"type": "object", "properties": {name: schema(random, depth + 1) for name in names}}
    required = [name for name in names if random.random() < 0.4]
    if required:
        made["required"] = required
    if random.random() < 0.3:
        made["additionalProperties"] = random.choice([True, False, {"type": "string"}])
    if not names and random.random() < 0.5:
        del made["properties"]
    return made


def _array(random: Random, depth: int) -> Schema:
    made: Schema = {"type": "array", "items": schema(random, depth + 1)}
    if random.random() < 0.3:
        made["minItems"] = random.randint(0, 1)
    if random.random() < 0.3:
        made["maxItems"] = random.randint(1, 2)
    if random.random() < 0.2:
        made["uniqueItems"] = True
    return made


def _tuple(random: Random, depth: int) -> Schema:
    prefix = [schema(random, depth + 1) for _ in range(random.randint(1, 2))]
    return {"type": "array", "prefixItems": prefix, "items": random.choice([True, False])}


def _union(keyword: str) -> Any:
    def make(random: Random, depth: int) -> Schema:
        return {keyword: [schema(random, depth + 1) for _ in range(random.randint(1, 3))]}

    return make


def _enum(random: Random, _: int) -> Schema:
    return {"enum": random.sample([1, 2, 3, True, None, "a", "b", "ab", 1.5, [], {}], random.randint(1, 4))}


def _condition(random: Random, depth: int) -> Schema:
    return {"if": schema(random, depth + 1), "then": schema(random, depth + 1)}


_MAKERS: dict[str, Any] = {
    "string": _string,
    "integer": _number("integer"),
    "number": _number("number"),
    "boolean": lambda *_: {"type": "boolean"},
    "any": lambda *_: {},
    "enum": _enum,
    "const": lambda random, _: {"const": random.choice([1, "a", None, True])},
    "nullable": lambda random, _: {"type": [random.choice(["string", "integer"]), "null"]},
    "object": _object,
    "array": _array,
    "tuple": _tuple,
    "anyOf": _union("anyOf"),
    "oneOf": _union("oneOf"),
    "allOf": _union("allOf"),
    "not": lambda random, depth: {"not": schema(random, depth + 1)},
    "if": _condition,
}


def _drop(random: Random, node: Schema) -> None:
    keywords = [keyword for keyword in node if keyword != "prefixItems"]
    if keywords:
        del node[random.choice(keywords)]


def _replace(random: Random, node: Schema) -> None:
    node.clear()
    node.update(schema(random, 2))


def _shift(random: Random, node: Schema) -> None:
    for keyword in ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"):
        if keyword in node and isinstance(node[keyword], int):
            node[keyword] = max(0, node[keyword] + random.choice([-1, 1]))


def _add_property(random: Random, node: Schema) -> None:
    if "properties" in node:
        name = random.choice(_NAMES)
        node["properties"].setdefault(name, schema(random, 2))
        if random.random() < 0.3:
            node["required"] = sorted({*node.get("required", []), name})


def _drop_property(random: Random, node: Schema) -> None:
    if node.get("properties"):
        del node["properties"][random.choice(list(node["properties"]))]


def _add_branch(random: Random, node: Schema) -> None:
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in node:
            node[keyword].append(schema(random, 2))


def _widen(random: Random, node: Schema) -> None:
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], random.choice(["null", "integer", "string"])]
        node["type"] = sorted(set(node["type"]))
    if "enum" in node:
        node["enum"] = [*node["enum"], random.choice(["z", 9])]


def _open(random: Random, node: Schema) -> None:
    if "properties" in node:
        node["additionalProperties"] = random.choice([True, False, {"type": "string"}])


_CHANGES = [_drop, _replace, _shift, _add_property, _drop_property, _add_branch, _widen, _open, _shift]
