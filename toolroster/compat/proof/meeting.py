"""Join two conjunctions of one schema into one."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from toolroster.compat.proof.equality import is_same
from toolroster.compat.proof.refusal import Unprovable

Node = dict[str, Any]

NEVER: Node = {"type": frozenset(), "never": True}
"""What no value is."""


def is_never(node: Node) -> bool:
    """Tell whether a node has no value, as far as its keywords say it outright."""
    return node.get("type") == frozenset() or node.get("enum") == []


def meet(a: Node, b: Node) -> Node:
    """Return the conjunction.

    Raises:
        Unprovable: their keywords cannot be joined.
    """
    if not a or not b:
        return a or b
    joined = a | b
    for keyword in a.keys() & b.keys():
        joined[keyword] = _JOIN[keyword](a[keyword], b[keyword])
    if a.keys() & _SHAPE and b.keys() & _SHAPE:
        joined |= _shape(a, b)
    if a.keys() & _ITEMS and b.keys() & _ITEMS:
        joined |= _entries(a, b)
    return NEVER if is_never(joined) else joined


_SHAPE = {"properties", "patternProperties", "additionalProperties"}
_ITEMS = {"items", "prefixItems"}


def both(a: Any, b: Any) -> Any:
    """Return the subschema of what both allow."""
    if a is True or a == {} or a is b:
        return b
    return a if b is True or b == {} else {"allOf": [a, b]}


def _shape(a: Node, b: Node) -> Node:
    patterned = "patternProperties" in a or "patternProperties" in b
    limited = "additionalProperties" in a or "additionalProperties" in b
    if patterned and limited and a.get("patternProperties") != b.get("patternProperties"):
        raise Unprovable("objects with patterns and limits are joined")
    mine, yours = a.get("properties", {}), b.get("properties", {})
    my_rest, your_rest = a.get("additionalProperties", True), b.get("additionalProperties", True)
    properties = {n: both(mine.get(n, my_rest), yours.get(n, your_rest)) for n in mine | yours}
    found: Node = {"properties": properties} if properties or "properties" in a.keys() | b.keys() else {}
    if limited:
        found["additionalProperties"] = both(my_rest, your_rest)
    return found


def _entries(a: Node, b: Node) -> Node:
    mine, yours = a.get("prefixItems", []), b.get("prefixItems", [])
    my_rest, your_rest = a.get("items", True), b.get("items", True)
    prefix = [
        both(mine[place] if place < len(mine) else my_rest, yours[place] if place < len(yours) else your_rest)
        for place in range(max(len(mine), len(yours)))
    ]
    return {"prefixItems": prefix, "items": both(my_rest, your_rest)}


def _same_values(a: list[Any], b: list[Any]) -> list[Any]:
    return [value for value in a if any(is_same(value, other) for other in b)]


def _least_multiple(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(
        math.lcm(a.numerator, b.numerator), math.gcd(a.denominator, b.denominator)
    )  # both are in lowest terms


def _merged(join: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def merge(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
        return a | {name: join(a[name], value) if name in a else value for name, value in b.items()}

    return merge


def _chosen_later(_a: Any, b: Any) -> Any:
    return b


_JOIN: dict[str, Callable[[Any, Any], Any]] = {
    "type": lambda a, b: a & b,
    "enum": _same_values,
    "minimum": max,
    "exclusiveMinimum": max,
    "minLength": max,
    "minItems": max,
    "minProperties": max,
    "maximum": min,
    "exclusiveMaximum": min,
    "maxLength": min,
    "maxItems": min,
    "maxProperties": min,
    "multipleOf": _least_multiple,
    "pattern": lambda a, b: a | b,
    "required": lambda a, b: a | b,
    "uniqueItems": lambda a, b: a or b,
    "anyOf": lambda a, b: a + b,
    "oneOf": lambda a, b: a + b,
    "not": lambda a, b: a + b,
    "if": lambda a, b: a + b,
    "contains": lambda a, b: a + b,
    "propertyNames": lambda a, b: a + b,
    "dependentRequired": _merged(lambda a, b: a | b),
    "dependentSchemas": _merged(both),
    "patternProperties": _merged(both),
    "properties": _chosen_later,
    "additionalProperties": _chosen_later,
    "items": _chosen_later,
    "prefixItems": _chosen_later,
    "opaque": _chosen_later,
    "never": _chosen_later,
}
