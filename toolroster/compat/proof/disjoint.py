"""Tell whether two schemas have no value in common; where it cannot be told, they are taken to have one."""

from toolroster.compat.proof.meeting import is_never
from toolroster.compat.proof.nodes import ALL, Node, Raw, Side
from toolroster.compat.proof.refusal import Unprovable
from toolroster.compat.proof.scalars import Interval
from toolroster.compat.proof.values import few_values, node_takes

_DEEPEST = 6


def are_disjoint(a: tuple[Side, Node], b: tuple[Side, Node], depth: int = 0) -> bool:
    """Tell whether no value is of both."""
    (mine, one), (yours, other) = a, b
    types = one.get("type", ALL) & other.get("type", ALL)
    if not types or is_never(one) or is_never(other):
        return True
    if depth > _DEEPEST:
        return False
    if _unions_are_disjoint(a, b, depth) or _unions_are_disjoint(b, a, depth):
        return True
    if _few_are_disjoint(mine, one, yours, other) or _few_are_disjoint(yours, other, mine, one):
        return True
    return _sizes_are_disjoint(types, one, other) or (
        types == {"object"} and _objects_are_disjoint(a, b, depth)
    )


def _unions_are_disjoint(a: tuple[Side, Node], b: tuple[Side, Node], depth: int) -> bool:
    side, node = a
    unions = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    return any(
        all(are_disjoint((side, side.node(branch)), b, depth + 1) for branch in union) for union in unions
    )


def _few_are_disjoint(mine: Side, one: Node, yours: Side, other: Node) -> bool:
    values = few_values(mine, one)
    try:
        return values is not None and not any(node_takes(yours, other, value) for value in values)
    except Unprovable:
        return False


def _sizes_are_disjoint(types: frozenset[str], one: Node, other: Node) -> bool:
    if types <= {"integer", "float"}:
        is_integer = types == {"integer"}
        return Interval.of(one, is_integer=is_integer).meets_not(Interval.of(other, is_integer=is_integer))
    sizes = {"string": "Length", "array": "Items"}
    kind = next(iter(types)) if len(types) == 1 else ""
    if kind not in sizes:
        return False
    least, most = f"min{sizes[kind]}", f"max{sizes[kind]}"
    return any(a.get(least, 0) > b[most] for a, b in ((one, other), (other, one)) if most in b)


def _objects_are_disjoint(a: tuple[Side, Node], b: tuple[Side, Node], depth: int) -> bool:
    for (mine, one), (yours, other) in ((a, b), (b, a)):
        forbidden = yours.additional(other) is False and "patternProperties" not in other
        if forbidden and one.get("required", frozenset()) - other.get("properties", {}).keys():
            return True
        shared = one.get("required", frozenset()) & one.get("properties", {}).keys()
        for name in shared & other.get("properties", {}).keys():
            if _members_are_disjoint(mine, one["properties"][name], yours, other["properties"][name], depth):
                return True
    return False


def _members_are_disjoint(mine: Side, one: Raw, yours: Side, other: Raw, depth: int) -> bool:
    return are_disjoint((mine, mine.node(one)), (yours, yours.node(other)), depth + 1)
