"""Show a break by a call that was taken and is taken no more: that ends arguments."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from toolroster import strict_json
from toolroster.compat.proof import Side, Unprovable
from toolroster.compat.proof.equality import text_of
from toolroster.compat.proof.nodes import Raw
from toolroster.compat.proof.refusal import NO_VALUE
from toolroster.compat.proof.values import takes
from toolroster.compat.report import Change
from toolroster.compat.samples import objects, samples
from toolroster.errors import Malformed

MOST_WITNESSES = 5
"""Looking for one costs more than the comparison."""
_LONGEST_SHOWN = 300


def with_witnesses(changes: Iterable[Change], smaller: Side, larger: Side, prefix: str) -> list[Change]:
    """Return the changes, the first breaking ones of a side with a value that proves them.

    `smaller` are the values that must be taken: old inputs, new outputs.
    """
    found: list[Change] = []
    looked = 0
    for change in changes:
        is_shown = change.kind.startswith(prefix) and change.classification == "breaking"
        if is_shown and looked < MOST_WITNESSES:
            looked += 1
            change = _with_witness(change, smaller, larger, prefix)  # noqa: PLW2901
        found.append(change)
    return found


def _with_witness(change: Change, smaller: Side, larger: Side, prefix: str) -> Change:
    value = witness(smaller, larger, _first_name(change.path))
    if value is NO_VALUE:
        return change
    text = text_of(value)
    shown = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"
    said = f"{shown} was taken, and is refused now." if prefix == "param" else f"It may answer {shown} now."
    return replace(change, witness=value, certainty="proven", message=f"{change.message} {said}")


def witness(smaller: Side, larger: Side, name: str = "") -> Any:
    """Return a value that one schema takes and the other does not; a member of this name is varied first.

    What could not be sent is none: it could not be stored and shown either.
    """
    try:
        for value in _candidates(smaller, name):
            is_break = takes(smaller, smaller.root, value) and not takes(larger, larger.root, value)
            if is_break and _can_be_sent(value):
                return value
    except (Unprovable, RecursionError):
        return NO_VALUE
    return NO_VALUE


def _can_be_sent(value: Any) -> bool:
    try:
        strict_json.check({"value": value})
    except Malformed:
        return False
    return True


def _candidates(side: Side, name: str) -> Iterator[Any]:
    node = side.node(side.root)
    properties: dict[str, Raw] = node.get("properties", {})
    if name in properties:
        base = next(objects(side, node, 0), None)
        if base is None:
            return
        yield base
        yield from ({**base, name: value} for value in samples(side, properties[name]))
    else:
        yield from samples(side, side.root)


def _first_name(path: str) -> str:
    return path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]
