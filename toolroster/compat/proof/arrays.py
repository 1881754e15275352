"""Arrays: their length, their entries by place and all, what they contain."""

import math
from typing import TYPE_CHECKING, Any

from toolroster.compat.proof.nodes import Node, Raw
from toolroster.compat.proof.refusal import Refusal

if TYPE_CHECKING:
    from toolroster.compat.proof.inclusion import Prover


def refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    """Return why arrays of `a` are not all in `b`."""
    most = a.get("maxItems", math.inf)
    if b.get("minItems", 0) > a.get("minItems", 0):
        return Refusal(path, "minItems")
    if b.get("maxItems", math.inf) < most:
        return Refusal(path, "maxItems")
    if b.get("uniqueItems") and not a.get("uniqueItems") and most > 1:
        return Refusal(path, "uniqueItems")
    return _entries_refusal(prover, a, b, path, most) or _contains_refusal(prover, a, b, path)


def _entries_refusal(prover: "Prover", a: Node, b: Node, path: str, most: float) -> Refusal | None:
    mine, yours = a.get("prefixItems", []), b.get("prefixItems", [])
    my_rest, your_rest = a.get("items", True), b.get("items", True)
    longest = max(len(mine), len(yours))
    for place in range(int(min(longest, most))):
        one, other = _entry(mine, my_rest, place), _entry(yours, your_rest, place)
        if refused := prover.refusal(one, other, f"{path}[{place}]"):
            return refused
    return prover.refusal(my_rest, your_rest, f"{path}[]") if most > longest else None


def _entry(prefix: list[Raw], rest: Raw, place: int) -> Raw:
    return prefix[place] if place < len(prefix) else rest


def _contains_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    for rule in b.get("contains", ()):
        if not any(_contains(prover, mine, rule, path) for mine in a.get("contains", ())):
            return Refusal(path, "contains", is_certain=False)
    return None


def _contains(prover: "Prover", mine: Any, rule: Any, path: str) -> bool:
    schema, least, most = mine
    wanted, wanted_least, wanted_most = rule
    has_enough = least >= wanted_least and prover.refusal(schema, wanted, path) is None
    if wanted_most is None or not has_enough:
        return has_enough
    # The upper bound counts what the wanted schema takes, which must not be more than mine.
    is_few = most is not None and most <= wanted_most
    return is_few and schema == wanted and "$ref" not in str(schema)
