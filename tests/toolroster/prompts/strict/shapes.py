"""Make schemas that strict mode can express, with values that they allow."""

from typing import Any

from hypothesis import strategies as st
from jsonschema import Draft202012Validator

Case = tuple[dict[str, Any], st.SearchStrategy[Any]]
"""A schema and the values it allows."""

_WORDS = [{}, {"description": "Said."}, {"title": "T", "default": "d"}, {"examples": [1]}]
_SIMPLE: list[Case] = [
    ({"type": "string"}, st.text(max_size=3)),
    ({"type": "string", "format": "uri"}, st.just("https://a.example")),
    ({"type": ["string", "null"]}, st.none() | st.text(max_size=3)),
    ({"type": "string", "enum": ["a", "b"]}, st.sampled_from(["a", "b"])),
    ({"enum": ["a", 1, None]}, st.sampled_from(["a", 1, None])),
    ({"const": "c"}, st.just("c")),
    ({"type": "integer", "minimum": 0}, st.integers(0, 9)),
    ({"type": ["integer", "string"], "minimum": 0, "pattern": "^x"}, st.integers(0, 9) | st.just("x1")),
    ({"type": "number", "multipleOf": 0.5}, st.sampled_from([0.5, 1])),
    ({"type": "boolean"}, st.booleans()),
    ({"$ref": "#/$defs/point"}, st.fixed_dictionaries({"x": st.integers()}, optional={"y": st.integers()})),
    ({"$ref": "#/$defs/point", "description": "Other."}, st.fixed_dictionaries({"x": st.integers()})),
    ({"allOf": [{"$ref": "#/$defs/tree"}], "title": "Tree"}, st.just({"children": [{}, {"children": []}]})),
    ({"$ref": "#/$defs/tree"}, st.just({"children": [{"children": [{}]}]})),
]
_DEEP = 6
DEFINITIONS = {
    "point": {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["x"],
    },
    "tree": {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        "additionalProperties": False,
    },
}


@st.composite
def _simple(draw: st.DrawFn) -> Case:
    schema, values = draw(st.sampled_from(_SIMPLE))
    return {**schema, **draw(st.sampled_from(_WORDS))}, values


@st.composite
def _object(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    members = draw(st.dictionaries(st.sampled_from(["a", "b/c", "é"]), inner, min_size=1, max_size=3))
    required = draw(st.lists(st.sampled_from(sorted(members)), unique=True))
    schema = {"type": "object", "properties": {name: case[0] for name, case in members.items()}}
    schema |= {"required": required} if required else {}
    values = {name: case[1] for name, case in members.items()}
    must = {name: values[name] for name in required}
    may = {name: values[name] for name in values if name not in required}
    return schema, st.fixed_dictionaries(must, optional=may)


@st.composite
def _array(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    schema, values = draw(inner)
    return {"type": "array", "items": schema, "maxItems": 2}, st.lists(values, max_size=2)


@st.composite
def _tagged(draw: st.DrawFn, inner: st.SearchStrategy[Case]) -> Case:
    cases = draw(st.lists(inner, min_size=1, max_size=2))
    forms = [
        {"type": "object", "properties": {"kind": {"const": str(i)}, "of": case[0]}, "required": ["kind"]}
        for i, case in enumerate(cases)
    ]
    values = [
        st.fixed_dictionaries({"kind": st.just(str(i))}, optional={"of": case[1]})
        for i, case in enumerate(cases)
    ]
    keyword = draw(st.sampled_from(["anyOf", "oneOf"]))
    return {keyword: [*forms, {"type": "null"}]}, st.one_of(*values, st.none())


_cases = st.recursive(_simple(), lambda inner: _object(inner) | _array(inner) | _tagged(inner), max_leaves=4)


@st.composite
def convertible(draw: st.DrawFn) -> tuple[dict[str, Any], Any]:
    """Generate an input schema that strict mode can express, and arguments that it allows."""
    schema, values = draw(_object(_cases))
    return schema | {"$defs": DEFINITIONS}, draw(values)


def filled(value: Any, node: Any, root: Any) -> Any:
    """Return a value as strict mode writes it: with null for each property that is not there."""
    while "$ref" in node:
        node = root if node["$ref"] == "#" else root["$defs"][node["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in node:
        forms = [(filled(value, form, root), form) for form in node["anyOf"]]
        return next((v for v, form in forms if accepts(root, form, v)), value)
    if isinstance(value, list):
        return [filled(item, node.get("items", {}), root) for item in value]
    if isinstance(value, dict):
        properties = node.get("properties", {})
        return {n: filled(value.get(n), sub, root) for n, sub in properties.items()} | {
            n: item for n, item in value.items() if n not in properties
        }
    return value


def values_of(node: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Generate values that a converted schema takes; deep ones end, where the schema lets them."""
    if "$ref" in node:
        return values_of(root["$defs"][node["$ref"].removeprefix("#/$defs/")], root, depth + 1)
    if "anyOf" in node:
        forms = [form for form in node["anyOf"] if depth < _DEEP or form == {"type": "null"}] or node["anyOf"]
        return st.one_of(*(values_of(form, root, depth) for form in forms))
    if "enum" in node or "const" in node:
        return st.sampled_from(node.get("enum", [node.get("const")]))
    types = [node["type"]] if isinstance(node["type"], str) else node["type"]
    names = ["null"] if depth >= _DEEP and "null" in types else types
    return st.one_of(*(_values_of_type(name, node, root, depth) for name in names))


def _values_of_type(name: str, node: Any, root: Any, depth: int) -> st.SearchStrategy[Any]:
    if name == "object":
        members = {n: values_of(sub, root, depth + 1) for n, sub in node["properties"].items()}
        return st.fixed_dictionaries(members)
    if name == "array":
        most = 0 if depth >= _DEEP else 2
        return st.lists(values_of(node["items"], root, depth + 1), max_size=most) if most else st.just([])
    return {
        "string": st.just("x") if "pattern" in node else st.text(max_size=3),
        "integer": st.integers(0, 9),
        "number": st.sampled_from([0.5, 1, 2.0]),
        "boolean": st.booleans(),
        "null": st.none(),
    }[name]


def accepts(root: Any, node: Any, value: Any) -> bool:
    return Draft202012Validator(root).evolve(schema=node).is_valid(value)
