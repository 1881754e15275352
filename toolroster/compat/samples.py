"""A few values of a schema, at its edges: what a witness is looked for among."""

import math
from collections.abc import Callable, Iterator
from itertools import islice
from re import _constants, _parser  # type: ignore[attr-defined] # what `re` itself reads patterns with
from typing import Any

from toolroster.compat.proof.nodes import ALL, Node, Raw, Side
from toolroster.compat.proof.refusal import Unprovable
from toolroster.compat.proof.scalars import Interval
from toolroster.compat.proof.values import node_takes

MOST = 16
_DEEPEST = 5
_PLAIN: dict[str, list[Any]] = {
    "null": [None],
    "boolean": [True, False],
    "string": ["x", "", "Hello, world.", "2026-01-31", "ann@example.com", "https://example.com/", "A1"],
    "float": [0.5, -1.5],
}


def samples(side: Side, raw: Raw, depth: int = 0) -> list[Any]:
    """Return up to `MOST` values that a subschema takes, [] where none was found."""
    node = side.node(raw)
    found: list[Any] = []
    for value in islice(_candidates(side, node, raw, depth), 4 * MOST):
        try:
            if node_takes(side, node, value):
                found.append(value)
        except Unprovable:
            return []
        if len(found) == MOST:
            break
    return found


def _candidates(side: Side, node: Node, raw: Raw, depth: int) -> Iterator[Any]:
    if isinstance(raw, dict):
        yield from ([raw["default"]] if "default" in raw else [])
        yield from raw["examples"][:3] if isinstance(raw.get("examples"), list) else []
    if "enum" in node:
        yield from node["enum"]
        return
    if depth > _DEEPEST:
        return
    for keyword in ("anyOf", "oneOf"):
        for union in node.get(keyword, ()):
            for branch in union:
                yield from samples(side, branch, depth + 1)[:4]
    for kind in sorted(node.get("type", ALL)):
        yield from _of_kind(side, node, kind, depth)


def _of_kind(side: Side, node: Node, kind: str, depth: int) -> Iterator[Any]:
    if kind in {"integer", "float"}:
        yield from _numbers(node, is_integer=kind == "integer")
    elif kind == "string":
        yield from _texts(node)
    elif kind == "array":
        yield from _arrays(side, node, depth)
    elif kind == "object":
        yield from objects(side, node, depth)
    yield from _PLAIN.get(kind, ())


def _numbers(node: Node, *, is_integer: bool) -> Iterator[Any]:
    ends = Interval.of(node, is_integer=is_integer)
    step = node.get("multipleOf", 1)
    step = int(step) if step == int(step) else float(step)
    for end, inwards in ((ends.low, step), (ends.high, -step)):
        if not math.isinf(end):
            yield from (end, end + inwards, end - end % step, end - end % step + step)
    yield from (0, step, 7 * step, -step, 100 * step)
    if not is_integer:
        yield from (end + 0.25 for end in (ends.low, ends.high) if not math.isinf(end))


def _texts(node: Node) -> Iterator[str]:
    for pattern in node.get("pattern", ()):
        yield example(pattern)
    least, most = node.get("minLength", 0), node.get("maxLength", 200)
    if least < 10_000:
        yield "x" * least
    yield "x" * min(most, 10_000)


def _arrays(side: Side, node: Node, depth: int) -> Iterator[list[Any]]:
    prefix = [samples(side, schema, depth + 1) for schema in node.get("prefixItems", ())]
    rest = samples(side, node.get("items", True), depth + 1) if depth < _DEEPEST else []
    head = [entries[0] for entries in prefix if entries]
    if len(head) == len(prefix):
        yield head
        yield from ([*head, value] for value in rest)
        least, most = node.get("minItems", 0), node.get("maxItems", 3)
        for count in {least, min(most, 50)}:
            if rest and count > len(head):
                yield head + (rest * count)[: count - len(head)]
                yield head + [rest[0]] * (count - len(head))
    yield []


def objects(side: Side, node: Node, depth: int) -> Iterator[dict[str, Any]]:
    """Give objects: with what is required, then with each other member, and one of a name that is none."""
    properties = node.get("properties", {})
    base: dict[str, Any] = {}
    for name in sorted(node.get("required", ())):
        values = samples(side, properties.get(name, True), depth + 1)
        if not values:
            return
        base[name] = values[0]
    yield base
    for name, schema in properties.items():
        yield from ({**base, name: value} for value in samples(side, schema, depth + 1)[:4])
    if side.additional(node) is not False:
        yield {**base, "other": "x"}


def example(pattern: str) -> str:
    """Return a text with a pattern, as far as it is plain; it has to be tried."""
    try:
        return _written(_parser.parse(pattern).data)
    except Exception:  # noqa: BLE001 - any text will do
        return "x"


def _written(parts: Any) -> str:
    return "".join(_part(operation, argument) for operation, argument in parts)


def _part(operation: Any, argument: Any) -> str:
    writer = _WRITERS.get(operation)
    return "a" if writer is None else writer(argument)


def _repeated(argument: Any) -> str:
    least, _, inner = argument
    return _written(inner) * int(min(least, 100))


def _member(choices: Any) -> str:
    operation, argument = choices[0]
    if operation is _constants.CATEGORY:
        return "1" if argument is _constants.CATEGORY_DIGIT else "a"
    if operation is _constants.NEGATE:
        return "~"
    return chr(argument[0] if operation is _constants.RANGE else argument)


_WRITERS: dict[Any, Callable[[Any], str]] = {
    _constants.LITERAL: chr,
    _constants.IN: _member,
    _constants.MAX_REPEAT: _repeated,
    _constants.MIN_REPEAT: _repeated,
    _constants.SUBPATTERN: lambda argument: _written(argument[3]),
    _constants.BRANCH: lambda argument: _written(argument[1][0]),
    _constants.AT: lambda _: "",
}
