"""Read subschemas as conjunctions: references resolved, spellings of one thing made one.

A node is a dict of keywords. What may come several times in a conjunction is a list: `anyOf` and `oneOf` are
lists of unions, `not`, `contains`, `if` and `propertyNames` lists of what they hold. `type` is a frozenset
in which `float` stands for numbers with a fraction, `pattern` a frozenset, `multipleOf` a Fraction. Notes
and unknown keywords are gone: they decide nothing (2020-12 core §6.5).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from toolroster.compat.proof.meeting import NEVER, is_never, meet
from toolroster.compat.proof.refusal import Unprovable
from toolroster.schema_walk import walk

Raw = Any
"""A subschema as it was written: an object or a boolean."""
Node = dict[str, Any]

_NULL: Node = {"type": frozenset({"null"})}
ALL = frozenset({"null", "boolean", "integer", "float", "string", "array", "object"})
_NUMBER = frozenset({"integer", "float"})
_AS_IS = frozenset(
    {
        "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
        "properties", "patternProperties", "additionalProperties", "prefixItems",
    }
)  # fmt: skip
_OPAQUE = frozenset({"$dynamicRef", "unevaluatedItems", "unevaluatedProperties", "contentSchema"})
_NOTHING: tuple[tuple[str, Any], ...] = (
    ("minLength", 0), ("minItems", 0), ("minProperties", 0), ("uniqueItems", False),
    ("required", frozenset()),
)  # fmt: skip


class Side:
    """One schema with what its references lead to; each subschema is read once.

    `is_closed` says what an object with `properties` and without `additionalProperties` takes: nothing
    else where it is closed, anything where it is open. Keywords beside a reference count since 2019-09; where
    they contradict it, the smaller side of a proof is read as before, which takes more.
    """

    def __init__(self, root: Raw, *, is_closed: bool = False, is_smaller: bool = False) -> None:
        self.root = root
        self.is_closed = is_closed
        self._is_smaller = is_smaller
        self._read: dict[int, tuple[Raw, Node]] = {}
        self._reading: set[int] = set()

    def node(self, raw: Raw) -> Node:
        """Return what a subschema says; `opaque` is in it where that is not all."""
        if (known := self._read.get(id(raw))) is not None:
            return known[1]
        if id(raw) in self._reading:  # it asks for itself, which adds nothing
            return {"opaque": True}
        self._reading.add(id(raw))
        try:
            node = self._made(raw)
        finally:
            self._reading.discard(id(raw))
        self._read[id(raw)] = raw, node  # the raw one too, or its id may come to be another's
        return node

    def additional(self, node: Node) -> Raw:
        """Return what an object takes beside the names that it declares."""
        closed = self.is_closed and "properties" in node
        return node.get("additionalProperties", not closed)

    def _made(self, raw: Raw) -> Node:
        if raw is True:
            return {}
        if raw is False:
            return NEVER
        if not isinstance(raw, dict):
            return {"opaque": True}
        node = _own(raw)
        for part in raw.get("allOf", ()):
            node = self._joined(node, part)
        if isinstance(raw.get("$ref"), str):
            target = self.target(raw["$ref"])
            joined = self._joined(node, target)
            is_contradiction = is_never(joined) and not is_never(node) and not is_never(self.node(target))
            node = self.node(target) if is_contradiction and self._is_smaller else joined
        return self._simple(node)

    def _joined(self, node: Node, part: Raw) -> Node:
        try:
            return meet(node, self.node(part))
        except Unprovable:
            return node | {"opaque": True}

    def target(self, reference: str) -> Raw:
        """Return what a local reference leads to; anything, and said to be opaque, if it is not local."""
        found: Raw = self.root
        if not reference.startswith("#"):
            return {"$dynamicRef": reference}
        if reference[1:] and not reference.startswith("#/"):
            return self._anchored(reference)
        try:
            for step in reference[1:].split("/")[1:]:
                key = step.replace("~1", "/").replace("~0", "~")
                found = found[int(key)] if isinstance(found, list) else found[key]
        except (KeyError, IndexError, ValueError, TypeError):
            return {"$dynamicRef": reference}
        return found

    def _anchored(self, reference: str) -> Raw:
        """Return what has a name of its own; until 2019-09 it was said by `$id`."""
        for _, _, subschema in walk(self.root):
            if isinstance(subschema, dict) and reference in {
                f"#{subschema.get('$anchor')}",
                subschema.get("$id"),
                subschema.get("id"),
            }:
                return subschema
        return {"$dynamicRef": reference}

    def _simple(self, node: Node) -> Node:
        """Write what can be said more simply so."""
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                node = self._with_unions(node, keyword)
        if "not" in node:
            node = self._with_negations(node)
        return _bounded(node)

    def _with_unions(self, node: Node, keyword: str) -> Node:
        unions, node = node[keyword], {k: v for k, v in node.items() if k != keyword}
        for union in unions:
            node = self._with_union(node, keyword, union)
        return node

    def _with_union(self, node: Node, keyword: str, union: list[Raw]) -> Node:
        branches = [branch for branch in union if not is_never(self.node(branch))]
        nodes = [self.node(branch) for branch in branches]
        if not branches:
            return NEVER
        if len(branches) == 1:
            return self._joined(node, branches[0])
        if keyword == "anyOf" and {} in nodes:
            return node
        return self._with_pair(node, keyword, branches, nodes) or _with(node, keyword, branches)

    def _with_pair(self, node: Node, keyword: str, branches: list[Raw], nodes: list[Node]) -> Node | None:
        """Return a union of two as a conjunction: of anything and another one, of null and another one."""
        if len(branches) != 2:
            return None
        if {} in nodes:  # one of them and not both
            return _with(node, "not", branches[1 - nodes.index({})])
        if _NULL not in nodes:
            return None
        nullable = self._nullable(branches[1 - nodes.index(_NULL)])
        return None if nullable is None else _tried(node, nullable)

    def _nullable(self, raw: Raw) -> Node | None:
        """Return what a schema says with null beside it, if that is one conjunction."""
        node = self.node(raw)
        if "null" in node.get("type", ALL) or node.keys() & {"not", "if", "opaque", "anyOf", "oneOf"}:
            return None
        wider = node | {"type": node["type"] | {"null"}}
        return wider | {"enum": [*node["enum"], None]} if "enum" in node else wider

    def _with_negations(self, node: Node) -> Node:
        denied, node = node["not"], {k: v for k, v in node.items() if k != "not"}
        for raw in denied:
            node = self._with_negation(node, raw)
        return node

    def _with_negation(self, node: Node, raw: Raw) -> Node:
        inner = self.node(raw)
        if is_never(inner):
            return node
        if not inner:
            return NEVER
        if inner.keys() == {"not"} and len(inner["not"]) == 1:
            return self._joined(node, inner["not"][0])
        if inner.keys() == {"type"}:
            return _tried(node, {"type": ALL - inner["type"]})
        opposite = _opposite(inner, node.get("type", ALL))
        return _tried(node, opposite) if opposite is not None else _with(node, "not", raw)


def _tried(node: Node, other: Node) -> Node:
    try:
        return meet(node, other)
    except Unprovable:
        return node | {"opaque": True}


def _with(node: Node, keyword: str, value: Any) -> Node:
    return node | {keyword: [*node.get(keyword, ()), value]}


_OPPOSITES: dict[str, Callable[[Any], Node]] = {
    "minLength": lambda value: {"maxLength": value - 1},
    "maxLength": lambda value: {"minLength": value + 1},
    "minItems": lambda value: {"maxItems": value - 1},
    "maxItems": lambda value: {"minItems": value + 1},
    "minimum": lambda value: {"exclusiveMaximum": value},
    "maximum": lambda value: {"exclusiveMinimum": value},
    "exclusiveMinimum": lambda value: {"maximum": value},
    "exclusiveMaximum": lambda value: {"minimum": value},
}


def _opposite(inner: Node, types: frozenset[str]) -> Node | None:
    """Return what is left of values of these types where one bound is denied."""
    bounds = inner.keys() - {"type"}
    if len(bounds) != 1 or not types <= inner.get("type", frozenset()):
        return None
    (bound,) = bounds
    return _OPPOSITES[bound](inner[bound]) if bound in _OPPOSITES else None


def _bounded(node: Node) -> Node:
    """Write exclusive bounds of integers as inclusive ones, and no bound that bounds nothing."""
    if node.get("type") == frozenset({"integer"}):
        node = _rounded(node)
    return {k: v for k, v in node.items() if not any(k == name and v == none for name, none in _NOTHING)}


def _rounded(node: Node) -> Node:
    low, high = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    rounded = {k: v for k, v in node.items() if k not in {"exclusiveMinimum", "exclusiveMaximum"}}
    lows = [-(-rounded["minimum"] // 1)] if "minimum" in rounded else []
    highs = [rounded["maximum"] // 1] if "maximum" in rounded else []
    lows += [low // 1 + 1] if low is not None else []
    highs += [-(-high // 1) - 1] if high is not None else []
    rounded |= {"minimum": int(max(lows))} if lows else {}
    return rounded | ({"maximum": int(min(highs))} if highs else {})


def _own(raw: Mapping[str, Any]) -> Node:
    """Read the keywords that stand beside each other, without those that lead elsewhere."""
    node: Node = {}
    for keyword, value in raw.items():
        if keyword in _AS_IS:
            node[keyword] = value
        elif (reader := _READERS.get(keyword)) is not None:
            reader(node, value, raw)
        elif keyword in _OPAQUE:
            node["opaque"] = True
    if raw.get("nullable") is True and "type" in node:
        node["type"] |= {"null"}
        if "enum" in node and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
    return node


def _types(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
    found: set[str] = set()
    for name in value if isinstance(value, list) else [value]:
        found |= _NUMBER if name == "number" else {name}
    node["type"] = frozenset(found) & ALL


def _const(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
    node["enum"] = [value]


def _bound(keyword: str) -> Callable[[Node, Any, Mapping[str, Any]], None]:
    exclusive = "exclusiveM" + keyword[1:]

    def read(node: Node, value: Any, raw: Mapping[str, Any]) -> None:
        node[exclusive if raw.get(exclusive) is True else keyword] = value  # draft 4 says it by a boolean

    return read


def _exclusive(keyword: str) -> Callable[[Node, Any, Mapping[str, Any]], None]:
    def read(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
        if not isinstance(value, bool):
            node[keyword] = value

    return read


def _multiple(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
    if value:  # by 0 nothing is divided
        node["multipleOf"] = Fraction(str(value))


def _listed(keyword: str) -> Callable[[Node, Any, Mapping[str, Any]], None]:
    def read(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
        node[keyword] = [value]

    return read


def _items(node: Node, value: Any, raw: Mapping[str, Any]) -> None:
    if isinstance(value, list):  # until 2019-09
        node["prefixItems"] = value
        node["items"] = raw.get("additionalItems", True)
    else:
        node["items"] = value


def _contains(node: Node, value: Any, raw: Mapping[str, Any]) -> None:
    node["contains"] = [(value, raw.get("minContains", 1), raw.get("maxContains"))]


def _condition(node: Node, value: Any, raw: Mapping[str, Any]) -> None:
    if "then" in raw or "else" in raw:
        node["if"] = [(value, raw.get("then", True), raw.get("else", True))]


def _dependencies(node: Node, value: Mapping[str, Any], _raw: Mapping[str, Any]) -> None:
    for name, needed in value.items():
        if isinstance(needed, list):
            node.setdefault("dependentRequired", {})[name] = frozenset(needed)
        else:
            node.setdefault("dependentSchemas", {})[name] = needed


def _set(keyword: str) -> Callable[[Node, Any, Mapping[str, Any]], None]:
    def read(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
        node[keyword] = frozenset([value] if isinstance(value, str) else value)

    return read


def _truth(node: Node, value: Any, _raw: Mapping[str, Any]) -> None:
    node["uniqueItems"] = value is True


_READERS: dict[str, Callable[[Node, Any, Mapping[str, Any]], None]] = {
    "type": _types,
    "enum": lambda node, value, _raw: node.__setitem__("enum", list(value)),
    "const": _const,
    "minimum": _bound("minimum"),
    "maximum": _bound("maximum"),
    "exclusiveMinimum": _exclusive("exclusiveMinimum"),
    "exclusiveMaximum": _exclusive("exclusiveMaximum"),
    "multipleOf": _multiple,
    "pattern": _set("pattern"),
    "required": _set("required"),
    "uniqueItems": _truth,
    "items": _items,
    "contains": _contains,
    "if": _condition,
    "anyOf": _listed("anyOf"),
    "oneOf": _listed("oneOf"),
    "not": _listed("not"),
    "propertyNames": _listed("propertyNames"),
    "dependencies": _dependencies,
    "dependentRequired": _dependencies,
    "dependentSchemas": _dependencies,
}
