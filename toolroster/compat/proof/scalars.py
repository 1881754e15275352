"""Numbers and texts: bounds, multiples, lengths, patterns."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from toolroster.compat.proof.nodes import Node
from toolroster.compat.proof.patterns import is_universal, least_length
from toolroster.compat.proof.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`, without an end that is open."""

    low: float
    is_low_open: bool
    high: float
    is_high_open: bool

    @classmethod
    def of(cls, node: Node, *, is_integer: bool) -> Self:
        """Read a node; ends between integers are moved to integers."""
        low, is_low_open = _end(node, "minimum", "exclusiveMinimum", -math.inf, upper=False)
        high, is_high_open = _end(node, "maximum", "exclusiveMaximum", math.inf, upper=True)
        if is_integer and low != -math.inf:
            low, is_low_open = (math.floor(low) + 1 if is_low_open else math.ceil(low)), False
        if is_integer and high != math.inf:
            high, is_high_open = (math.ceil(high) - 1 if is_high_open else math.floor(high)), False
        return cls(low, is_low_open, high, is_high_open)

    def meets_not(self, other: "Interval") -> bool:
        """Tell whether no number is in both."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        is_open = self.is_low_open or self.is_high_open or other.is_low_open or other.is_high_open
        return low > high or (low == high and is_open)

    def begins_in(self, other: "Interval") -> bool:
        """Tell whether the other one reaches down as far."""
        if other.low == self.low:
            return self.is_low_open or not other.is_low_open
        return other.low < self.low

    def ends_in(self, other: "Interval") -> bool:
        """Tell whether the other one reaches up as far."""
        if other.high == self.high:
            return self.is_high_open or not other.is_high_open
        return other.high > self.high


def _end(node: Node, closed: str, opened: str, none: float, *, upper: bool) -> tuple[float, bool]:
    inclusive, exclusive = node.get(closed), node.get(opened)
    if exclusive is None:
        return (none if inclusive is None else inclusive), False
    if inclusive is None:
        return exclusive, True
    is_tighter = exclusive <= inclusive if upper else exclusive >= inclusive
    return (exclusive, True) if is_tighter else (inclusive, False)


def number_refusal(a: Node, b: Node, path: str, *, is_integer: bool) -> Refusal | None:
    """Return why numbers of `a` are not all in `b`."""
    mine, yours = Interval.of(a, is_integer=is_integer), Interval.of(b, is_integer=is_integer)
    if not mine.begins_in(yours):
        value = mine.low if not mine.is_low_open and mine.low != -math.inf else None
        return _out_of(path, "minimum", value)
    if not mine.ends_in(yours):
        value = mine.high if not mine.is_high_open and mine.high != math.inf else None
        return _out_of(path, "maximum", value)
    if "multipleOf" in b and not _is_multiple(a, b["multipleOf"], is_integer=is_integer):
        return Refusal(path, "multipleOf")
    return None


def _out_of(path: str, bound: str, value: float | None) -> Refusal:
    return Refusal(path, bound) if value is None else Refusal(path, bound, value)


def _is_multiple(a: Node, divisor: Fraction, *, is_integer: bool) -> bool:
    step = a.get("multipleOf", Fraction(1) if is_integer else None)
    if step is None:
        return False
    return (step / divisor).denominator == 1 or (
        is_integer and (Fraction(step.numerator) / divisor).denominator == 1
    )


def text_refusal(a: Node, b: Node, path: str) -> Refusal | None:
    """Return why texts of `a` are not all in `b`."""
    patterns = a.get("pattern", frozenset())
    least = max([a.get("minLength", 0), *map(least_length, patterns)])
    if b.get("minLength", 0) > least:
        return Refusal(path, "minLength")
    if b.get("maxLength", math.inf) < a.get("maxLength", math.inf):
        return Refusal(path, "maxLength")
    unproved = [one for one in b.get("pattern", frozenset()) - patterns if not is_universal(one)]
    return Refusal(path, "pattern", is_certain=False) if unproved else None


def is_covered(a: Node, branches: Iterable[Node]) -> bool:
    """Tell whether ranges of integers together have all integers of `a`."""
    mine = Interval.of(a, is_integer=True)
    plain = {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
    ranges = sorted(
        (one.low, one.high)
        for one in (
            Interval.of(b, is_integer=True) for b in branches if b.keys() <= plain and _has_integers(b)
        )
    )
    reached = mine.low
    for low, high in ranges:
        if low > reached:
            return False
        reached = max(reached, high + 1)
    return reached > mine.high or reached == math.inf


def _has_integers(node: Node) -> bool:
    return "integer" in node.get("type", frozenset({"integer"}))
