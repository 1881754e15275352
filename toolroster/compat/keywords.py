"""Compare the keywords that bound single values: enumerations, ranges, sizes, patterns."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from toolroster.compat.proof.equality import is_same
from toolroster.compat.proof.nodes import ALL, Node
from toolroster.compat.proof.patterns import is_universal
from toolroster.compat.proof.refusal import NO_VALUE, Unprovable
from toolroster.compat.proof.scalars import Interval

if TYPE_CHECKING:
    from toolroster.compat.schema_changes import SchemaChanges

Keyword = Callable[["SchemaChanges", Node, Node, str], None]


def _enum(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    old, new = _listed(a), _listed(b)
    if old is None or new is None:
        if old is not new:
            kind = "enum_added" if old is None else "enum_removed"
            walk.add(kind, path, "Whether its values are listed changed", **_given(old, new))
        return
    if went := _without(old, new):
        walk.add(
            "enum_value_removed", path, f"{_text(went)} may not be its value any more", **_given(old, new)
        )
    if came := _without(new, old):
        walk.add("enum_value_added", path, f"{_text(came)} may be its value now", **_given(old, new))


def _listed(node: Node) -> list[Any] | None:
    """Return the values that are listed; null is a matter of the type."""
    values = node.get("enum")
    return None if values is None else [value for value in values if value is not None]


def _without(values: list[Any], others: list[Any]) -> list[Any]:
    return [value for value in values if not any(is_same(value, other) for other in others)]


def _range(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    types = a.get("type", ALL) - {"null"}
    if not types & {"integer", "float"}:
        return
    is_integer = types & {"integer", "float"} == {"integer"}
    old, new = Interval.of(a, is_integer=is_integer), Interval.of(b, is_integer=is_integer)
    lows, highs = (old.low, old.is_low_open), (new.low, new.is_low_open)
    if lows != highs:
        _bound(walk, path, "minimum", lows, highs, is_tighter=not old.begins_in(new))
    lows, highs = (old.high, old.is_high_open), (new.high, new.is_high_open)
    if lows != highs:
        _bound(walk, path, "maximum", lows, highs, is_tighter=not old.ends_in(new))


def _bound(
    walk: "SchemaChanges",
    path: str,
    name: str,
    old: tuple[float, bool],
    new: tuple[float, bool],
    *,
    is_tighter: bool,
) -> None:
    kind = "constraint_tightened" if is_tighter else "constraint_loosened"
    walk.add(kind, path, f"Its {name} changed", old=_end(old), new=_end(new))


def _end(end: tuple[float, bool]) -> Any:
    value, is_open = end
    if math.isinf(value):
        return NO_VALUE
    return f"beyond {value}" if is_open else value


def _multiple(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    whole = Fraction(1) if a.get("type", ALL) - {"null"} == {"integer"} else None
    old, new = a.get("multipleOf", whole), b.get("multipleOf", whole)
    if old == new:
        return
    is_looser = new is None or (old is not None and (old / new).denominator == 1)
    kind = "constraint_loosened" if is_looser else "constraint_tightened"
    given = {"old": NO_VALUE if old is None else str(old), "new": NO_VALUE if new is None else str(new)}
    walk.add(kind, path, "It is a multiple of another number", **given)


def _sizes(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    for size in ("Length", "Items", "Properties"):
        least, most = f"min{size}", f"max{size}"
        _size(walk, path, least, a.get(least, 0), b.get(least, 0))
        _size(walk, path, most, -a.get(most, math.inf), -b.get(most, math.inf))
    if a.get("uniqueItems", False) != b.get("uniqueItems", False):
        kind = "constraint_tightened" if b.get("uniqueItems") else "constraint_loosened"
        walk.add(kind, path, "Whether its entries may be equal changed")


def _size(walk: "SchemaChanges", path: str, name: str, old: float, new: float) -> None:
    """Compare two lower bounds; upper ones come with their sign turned."""
    if old != new:
        kind = "constraint_tightened" if new > old else "constraint_loosened"
        walk.add(kind, path, f"Its {name} changed", old=_count(old), new=_count(new))


def _count(bound: float) -> Any:
    return NO_VALUE if math.isinf(bound) else abs(bound)


def _pattern(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    old, new = _patterns(a), _patterns(b)
    came, went = sorted(new - old), sorted(old - new)
    given = {"old": " ".join(went) or NO_VALUE, "new": " ".join(came) or NO_VALUE}
    if came:
        kind, certainty = ("pattern_changed" if went else "pattern_added"), "unproven"
        walk.add(kind, path, "It must have another pattern", certainty=certainty, **given)
    elif went:
        walk.add("pattern_removed", path, "It needs a pattern no more", **given)


def _patterns(node: Node) -> frozenset[str]:
    return frozenset(one for one in node.get("pattern", ()) if not _is_no_pattern(one))


def _is_no_pattern(pattern: str) -> bool:
    try:
        return is_universal(pattern)
    except Unprovable:
        return False


def _given(old: Any, new: Any) -> dict[str, Any]:
    return {"old": NO_VALUE if old is None else old, "new": NO_VALUE if new is None else new}


def _text(values: list[Any]) -> str:
    return ", ".join(repr(value) for value in values[:5]) + (" and more" if len(values) > 5 else "")


KEYWORDS: tuple[Keyword, ...] = (_enum, _range, _multiple, _sizes, _pattern)
