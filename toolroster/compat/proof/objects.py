"""Objects: their members by name, by pattern and all others, and what they depend on."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from toolroster.compat.proof.nodes import Node, Raw
from toolroster.compat.proof.patterns import are_apart, is_universal
from toolroster.compat.proof.refusal import Refusal, Unprovable
from toolroster.compat.proof.values import member_schemas, takes

if TYPE_CHECKING:
    from toolroster.compat.proof.inclusion import Prover


def refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    """Return why objects of `a` are not all in `b`."""
    missing = b.get("required", frozenset()) - a.get("required", frozenset())
    if missing:
        return Refusal(f"{path}.{min(missing)}" if path else min(missing), "required")
    return (
        _members_refusal(prover, a, b, path)
        or _others_refusal(prover, a, b, path)
        or _count_refusal(prover, a, b, path)
        or _names_refusal(prover, a, b, path)
        or _dependent_refusal(prover, a, b, path)
    )


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _members_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    mine, yours = a.get("properties", {}), b.get("properties", {})
    for name in [*mine, *(name for name in yours if name not in mine)]:
        held = member_schemas(prover.smaller, a, name)
        if _is_never(held):
            continue
        for wanted in member_schemas(prover.larger, b, name):
            if refused := _member_refusal(prover, held, wanted, _below(path, name)):
                return refused
    return None


def _is_absent(prover: "Prover", a: Node, name: str) -> bool:
    """Tell whether no object of the smaller side has a member of this name."""
    return _is_never(member_schemas(prover.smaller, a, name))


def _is_never(held: list[Raw]) -> bool:
    return any(schema is False for schema in held)


def _member_refusal(prover: "Prover", held: list[Raw], wanted: Raw, path: str) -> Refusal | None:
    refused: Refusal | None = None
    for schema in held:  # each holds, so that one is enough
        refused = prover.refusal(schema, wanted, path)
        if refused is None:
            return None
    return refused


def _others_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    """Return why members without a declared name are not all taken: by pattern, and all others."""
    patterns, wanted = a.get("patternProperties", {}), b.get("patternProperties", {})
    rest, wanted_rest = prover.smaller.additional(a), prover.larger.additional(b)
    for pattern, schema in patterns.items():
        for other in _schemas_of(pattern, wanted, wanted_rest):
            if refused := prover.refusal(schema, other, f"{path}.*"):
                return replace(refused, is_certain=False)  # there may be no name with both patterns
    if any(is_universal(pattern) for pattern in patterns):
        return None
    for other in [wanted[name] for name in wanted if name not in patterns]:
        if refused := prover.refusal(rest, other, f"{path}.*"):
            return refused
    if any(is_universal(pattern) for pattern in wanted):
        return None
    return prover.refusal(rest, wanted_rest, f"{path}.*")


def _schemas_of(pattern: str, wanted: dict[str, Raw], rest: Raw) -> Iterator[Raw]:
    """Give what the larger side may ask of names with a pattern."""
    if pattern not in wanted and not any(is_universal(other) for other in wanted):
        yield rest
    yield from (schema for other, schema in wanted.items() if not are_apart(pattern, other))


def _count_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    least = max(a.get("minProperties", 0), len(a.get("required", frozenset())))
    if b.get("minProperties", 0) > least:
        return Refusal(path, "minProperties")
    is_limited = prover.smaller.additional(a) is False and "patternProperties" not in a
    most = min(a.get("maxProperties", math.inf), len(a.get("properties", {})) if is_limited else math.inf)
    return Refusal(path, "maxProperties") if b.get("maxProperties", math.inf) < most else None


def _names_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    for wanted in b.get("propertyNames", ()):
        if not _names_are(prover, a, wanted, path):
            return Refusal(path, "propertyNames", is_certain=False)
    return None


def _names_are(prover: "Prover", a: Node, wanted: Raw, path: str) -> bool:
    if any(prover.refusal(mine, wanted, path) is None for mine in a.get("propertyNames", ())):
        return True
    if prover.smaller.additional(a) is False and "patternProperties" not in a:
        return all(takes(prover.larger, wanted, name) for name in a.get("properties", {}))
    return prover.refusal({"type": "string"}, wanted, path) is None


def _dependent_refusal(prover: "Prover", a: Node, b: Node, path: str) -> Refusal | None:
    needed = a.get("dependentRequired", {})
    always = a.get("required", frozenset())
    for name, names in b.get("dependentRequired", {}).items():
        held = always | needed.get(name, frozenset())
        if not names <= held and not _is_absent(prover, a, name):
            return Refusal(_below(path, name), "dependentRequired")
    schemas = a.get("dependentSchemas", {})
    for name, wanted in b.get("dependentSchemas", {}).items():
        if _is_absent(prover, a, name):
            continue
        if name not in schemas or prover.refusal(schemas[name], wanted, path) is not None:
            raise Unprovable("a dependent schema may not be met")
    return None
