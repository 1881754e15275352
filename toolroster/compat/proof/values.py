"""Test single values, and list the values of a schema that has few."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from toolroster.compat.proof.equality import is_same
from toolroster.compat.proof.nodes import ALL, Node, Raw, Side
from toolroster.compat.proof.patterns import compiled
from toolroster.compat.proof.refusal import Unprovable

MOST_VALUES = 300
"""A range of more integers is not listed."""


def takes(side: Side, raw: Raw, value: Any) -> bool:
    """Tell whether a subschema takes a value.

    Raises:
        Unprovable: the subschema says what is not understood.
    """
    return node_takes(side, side.node(raw), value)


def node_takes(side: Side, node: Node, value: Any) -> bool:
    """Do the same for a node."""
    if not node:
        return True
    kinds = _kinds(value)
    if not kinds & node.get("type", ALL):
        return False
    if "enum" in node and not any(is_same(value, one) for one in node["enum"]):
        return False
    if "opaque" in node:
        raise Unprovable("it says what is not understood")
    return _OF_TYPE[_kind(value)](side, node, value) and _composed(side, node, value)


def _kinds(value: Any) -> frozenset[str]:
    return frozenset({_kind(value)})


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "integer" if float(value).is_integer() or isinstance(value, int) else "float"
    return {type(None): "null", str: "string", list: "array"}.get(type(value), "object")


def _composed(side: Side, node: Node, value: Any) -> bool:
    return (
        all(any(takes(side, branch, value) for branch in union) for union in node.get("anyOf", ()))
        and all(sum(takes(side, one, value) for one in union) == 1 for union in node.get("oneOf", ()))
        and not any(takes(side, denied, value) for denied in node.get("not", ()))
        and all(
            takes(side, then if takes(side, condition, value) else otherwise, value)
            for condition, then, otherwise in node.get("if", ())
        )
    )


def _anything(_side: Side, _node: Node, _value: Any) -> bool:
    return True


def _number(_side: Side, node: Node, value: float) -> bool:
    return (
        value >= node.get("minimum", value)
        and value <= node.get("maximum", value)
        and ("exclusiveMinimum" not in node or value > node["exclusiveMinimum"])
        and ("exclusiveMaximum" not in node or value < node["exclusiveMaximum"])
        and ("multipleOf" not in node or (Fraction(str(value)) / node["multipleOf"]).denominator == 1)
    )


def _string(_side: Side, node: Node, value: str) -> bool:
    is_sized = node.get("minLength", 0) <= len(value) <= node.get("maxLength", len(value))
    return is_sized and all(compiled(one).search(value) for one in node.get("pattern", ()))


def _array(side: Side, node: Node, value: list[Any]) -> bool:
    if not node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value)):
        return False
    prefix, rest = node.get("prefixItems", []), node.get("items", True)
    if not all(takes(side, schema, entry) for schema, entry in zip(prefix, value, strict=False)):
        return False
    if not all(takes(side, rest, entry) for entry in value[len(prefix) :]):
        return False
    is_unique = not node.get("uniqueItems") or not any(
        is_same(one, other) for place, one in enumerate(value) for other in value[:place]
    )
    return is_unique and all(_contained(side, one, value) for one in node.get("contains", ()))


def _contained(side: Side, rule: tuple[Raw, int, int | None], value: list[Any]) -> bool:
    schema, least, most = rule
    count = sum(takes(side, schema, entry) for entry in value)
    return count >= least and (most is None or count <= most)


def _object(side: Side, node: Node, value: dict[str, Any]) -> bool:
    if not node.get("minProperties", 0) <= len(value) <= node.get("maxProperties", len(value)):
        return False
    if not node.get("required", frozenset()) <= value.keys():
        return False
    return all(
        all(takes(side, schema, item) for schema in member_schemas(side, node, name))
        for name, item in value.items()
    ) and _dependent(side, node, value)


def member_schemas(side: Side, node: Node, name: str) -> list[Raw]:
    """Return what an object's member of a name has to be."""
    found = [node["properties"][name]] if name in node.get("properties", ()) else []
    if "patternProperties" in node:
        patterns = node["patternProperties"].items()
        found += [schema for pattern, schema in patterns if compiled(pattern).search(name)]
    return found or [side.additional(node)]


def _dependent(side: Side, node: Node, value: dict[str, Any]) -> bool:
    needed = node.get("dependentRequired", {})
    schemas = node.get("dependentSchemas", {})
    return (
        all(names <= value.keys() for name, names in needed.items() if name in value)
        and all(takes(side, schema, value) for name, schema in schemas.items() if name in value)
        and all(takes(side, schema, name) for schema in node.get("propertyNames", ()) for name in value)
    )


_OF_TYPE: dict[str, Callable[[Side, Node, Any], bool]] = {
    "null": _anything,
    "boolean": _anything,
    "integer": _number,
    "float": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}


def few_values(side: Side, node: Node) -> list[Any] | None:
    """Return all values of a node, None where they are many or cannot be told."""
    candidates = _candidates(side, node)
    if candidates is None:
        return None
    if "opaque" in node:  # what is not understood may only take values away
        node = {k: v for k, v in node.items() if k != "opaque"}
    try:
        return [value for value in candidates if node_takes(side, node, value)]
    except Unprovable:
        return None


def _candidates(side: Side, node: Node) -> list[Any] | None:
    if "enum" in node:
        found: list[Any] = node["enum"]
        return found
    types = node.get("type", ALL)
    if types <= {"null", "boolean"}:
        return [*([None] if "null" in types else []), *([False, True] if "boolean" in types else [])]
    if types <= {"integer", "float"}:
        return _numbers(node, is_integer=types == {"integer"})
    return _of_unions(side, node)


def _numbers(node: Node, *, is_integer: bool) -> list[Any] | None:
    low, high = node.get("minimum"), node.get("maximum")
    if low is None or high is None:
        return None
    if is_integer:
        return list(range(low, high + 1)) if high - low < MOST_VALUES else None
    return [low] if low == high else None


def _of_unions(side: Side, node: Node) -> list[Any] | None:
    for keyword in ("anyOf", "oneOf"):
        for union in node.get(keyword, ()):
            lists = [few_values(side, side.node(branch)) for branch in union]
            if all(values is not None for values in lists):
                return _distinct(value for values in lists for value in values or ())
    return None


def _distinct(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(is_same(value, known) for known in found):
            found.append(value)
    return found
