"""Prove that a schema's values are all values of another one."""

import functools
import re
from collections.abc import Iterator
from typing import Any

from toolroster.compat.proof import arrays, objects, scalars
from toolroster.compat.proof.disjoint import are_disjoint
from toolroster.compat.proof.equality import text_of, words_of
from toolroster.compat.proof.meeting import is_never, meet
from toolroster.compat.proof.nodes import ALL, Node, Raw, Side
from toolroster.compat.proof.refusal import NO_VALUE, Refusal, Unprovable
from toolroster.compat.proof.values import few_values, node_takes

MOST_STEPS = 5000
"""A proof that takes more is given up: schemas can be made that need years."""
MOST_DEPTH = 60
_CONJUNCTS = ("anyOf", "oneOf", "not", "if", "contains", "propertyNames")
"""Keywords of which a node may have several."""


def included(smaller: Raw, larger: Raw, *, is_closed: bool = False) -> Refusal | None:
    """Return why not all values of one schema are values of the other; None when they are.

    `is_closed` says that objects with `properties` take nothing else where `additionalProperties` is absent.
    """
    mine = Side(smaller, is_closed=is_closed, is_smaller=True)
    return Prover(mine, Side(larger, is_closed=is_closed)).whole()


_WHERE_MOST_IS_AS_BEFORE = (1, 2)
"""Depths at which texts are compared before anything is proved: parameters, and what is in them."""


class Prover:
    """Proves inclusions of the subschemas of `smaller` in those of `larger`."""

    def __init__(self, smaller: Side, larger: Side) -> None:
        self.smaller = smaller
        self.larger = larger
        self._assumed: set[tuple[int, int]] = set()
        self._steps = 0

    def whole(self) -> Refusal | None:
        """Return why the whole schema is not included."""
        return self.safely(self.smaller.root, self.larger.root, "")

    def safely(self, a: Raw, b: Raw, path: str) -> Refusal | None:
        """Do the same for subschemas; what is not understood is a refusal."""
        try:
            return self.refusal(a, b, path)
        except Unprovable as error:
            return Refusal(path, str(error), is_certain=False)
        except RecursionError:
            return Refusal(path, "it is nested too deep", is_certain=False)

    def refusal(self, a: Raw, b: Raw, path: str) -> Refusal | None:
        """Return why a subschema is not included in another one.

        Raises:
            Unprovable: the proof was not found.
        """
        if b is True or b == {}:
            return None
        pair = (id(a), id(b))
        if pair in self._assumed:  # a reference has led here before: what is true of it then is true now
            return None
        self._step()
        if len(self._assumed) in _WHERE_MOST_IS_AS_BEFORE and _is_as_before(a, b):
            return None
        self._assumed.add(pair)
        try:
            return self.node_refusal(self.smaller.node(a), self.larger.node(b), path)
        finally:
            self._assumed.discard(pair)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._assumed) > MOST_DEPTH:
            raise Unprovable("it is too large to be proved")

    def node_refusal(self, a: Node, b: Node, path: str) -> Refusal | None:
        """Do the same for nodes."""
        if not b or is_never(a):
            return None
        values = few_values(self.smaller, a)
        if values is not None:
            return self._values_refusal(values, b, path)
        b = self._without_shared(a, b)
        if not b:
            return None
        for keyword in ("anyOf", "oneOf"):
            if keyword in a:
                return self._branches_refusal(a, keyword, b, path)
        return self._types_refusal(a, b, path)

    def _values_refusal(self, values: list[Any], b: Node, path: str) -> Refusal | None:
        for value in values:
            if not node_takes(self.larger, b, value):
                return Refusal(path, f"{text_of(value)[:80]} is not taken", value)
        return None

    def _without_shared(self, a: Node, b: Node) -> Node:
        """Leave out what both say in the same words."""
        for keyword in _CONJUNCTS:
            if keyword in a and keyword in b:
                kept = [one for one in b[keyword] if not any(self._are_one(m, one) for m in a[keyword])]
                b = {k: v for k, v in b.items() if k != keyword} | ({keyword: kept} if kept else {})
        return b

    def _branches_refusal(self, a: Node, keyword: str, b: Node, path: str) -> Refusal | None:
        union, *others = a[keyword]
        rest = {k: v for k, v in a.items() if k != keyword} | ({keyword: others} if others else {})
        for branch in union:
            self._step()
            if refused := self.node_refusal(self._met(rest, self.smaller.node(branch)), b, path):
                return refused
        return None

    def _met(self, a: Node, b: Node) -> Node:
        """Return a conjunction of the smaller side; what cannot be joined may be left out there."""
        try:
            return meet(a, b)
        except Unprovable:
            return b or a

    def _types_refusal(self, a: Node, b: Node, path: str) -> Refusal | None:
        types = a.get("type", ALL)
        for group in _groups(types):
            one = a if group == types else a | {"type": group}
            if refused := self._type_refusal(one, group, b, path):
                return refused
        return None

    def _type_refusal(self, a: Node, types: frozenset[str], b: Node, path: str) -> Refusal | None:
        """Return why values of one type are not included; integers and other numbers are one."""
        if types <= {"null", "boolean"}:
            values = few_values(self.smaller, a)
            return self._values_refusal(values or [], b, path)
        if "opaque" in b:
            raise Unprovable("it says what is not understood")
        for keyword in ("anyOf", "oneOf"):
            if keyword in b:
                return self._union_refusal(a, types, b, keyword, path)
        return (
            self._plain_refusal(a, types, b, path)
            or self._denied_refusal(a, b, path)
            or self._conditions_refusal(a, b, path)
        )

    def _union_refusal(
        self, a: Node, types: frozenset[str], b: Node, keyword: str, path: str
    ) -> Refusal | None:
        union, *others = b[keyword]
        rest = {k: v for k, v in b.items() if k != keyword} | ({keyword: others} if others else {})
        nodes = [self.larger.node(branch) for branch in union]
        for place, node in enumerate(nodes):
            self._step()
            if keyword == "oneOf" and not self._is_alone(a, nodes, place):
                continue
            if self._fits(a, rest, node, path):
                return None
        if keyword == "anyOf" and types == {"integer"} and scalars.is_covered(a, nodes):
            return self.node_refusal(a, rest, path)
        return Refusal(path, f"no branch of {keyword} takes it", is_certain=False)

    def _fits(self, a: Node, rest: Node, branch: Node, path: str) -> bool:
        try:
            return self.node_refusal(a, meet(rest, branch), path) is None
        except Unprovable:
            return False

    def _is_alone(self, a: Node, nodes: list[Node], place: int) -> bool:
        others = (node for other, node in enumerate(nodes) if other != place)
        return all(are_disjoint((self.smaller, a), (self.larger, node)) for node in others)

    def _plain_refusal(self, a: Node, types: frozenset[str], b: Node, path: str) -> Refusal | None:
        allowed = b.get("type", ALL)
        if not types <= allowed:
            return Refusal(path, f"type {_names(types - allowed)}", self._sample(types - allowed, a))
        if "enum" in b:
            return Refusal(path, "only listed values are taken", is_certain=False)
        if types <= {"integer", "float"}:
            return scalars.number_refusal(a, b, path, is_integer=types == {"integer"})
        return _BY_TYPE[min(types)](self, a, b, path)

    def _sample(self, types: frozenset[str], a: Node) -> Any:
        """Return a value of a type, if the smaller schema takes it."""
        value = _SAMPLES[min(types)]
        try:
            return value if node_takes(self.smaller, a, value) else NO_VALUE
        except Unprovable:
            return NO_VALUE

    def _denied_refusal(self, a: Node, b: Node, path: str) -> Refusal | None:
        for denied in b.get("not", ()):
            node = self.larger.node(denied)
            if not are_disjoint((self.smaller, a), (self.larger, node)) and not self._denies(a, denied):
                return Refusal(path, "a schema of `not` may take it", is_certain=False)
        return None

    def _denies(self, a: Node, denied: Raw) -> bool:
        """Tell whether the smaller side denies as much or more."""
        turned = Prover(self.larger, self.smaller)
        return any(turned.safely(denied, mine, "") is None for mine in a.get("not", ()))

    def _conditions_refusal(self, a: Node, b: Node, path: str) -> Refusal | None:
        for condition, then, otherwise in b.get("if", ()):
            if not self._keeps(a, condition, then, otherwise, path):
                return Refusal(path, "a condition may not be met", is_certain=False)
        return None

    def _keeps(self, a: Node, condition: Raw, then: Raw, otherwise: Raw, path: str) -> bool:
        for mine, my_then, my_otherwise in a.get("if", ()):
            if self._are_one(mine, condition):
                return self._follows(a, my_then, then, path) and self._follows(
                    a, my_otherwise, otherwise, path
                )
        return False

    def _follows(self, a: Node, mine: Raw, wanted: Raw, path: str) -> bool:
        plain = {keyword: value for keyword, value in a.items() if keyword != "if"}
        node = self._met(plain, self.smaller.node(mine))
        return self.node_refusal(node, self.larger.node(wanted), path) is None

    def _are_one(self, a: Raw, b: Raw) -> bool:
        """Tell whether two subschemas are written alike and lead to the same."""
        words = words_of(a)
        leads_elsewhere = _OTHER_REFERENCE.search(words) is not None
        return (
            words == words_of(b)
            and not leads_elsewhere
            and ("$ref" not in words or self._has_same_definitions)
        )

    @functools.cached_property
    def _has_same_definitions(self) -> bool:
        """Tell whether references into the definitions lead to the same on both sides."""
        return _definitions(self.smaller.root) == _definitions(self.larger.root)


def _definitions(root: Raw) -> str:
    kept = {name: root.get(name) for name in ("$defs", "definitions")} if isinstance(root, dict) else {}
    return text_of(kept)


def _texts(_prover: Prover, a: Node, b: Node, path: str) -> Refusal | None:
    return scalars.text_refusal(a, b, path)


_BY_TYPE = {"string": _texts, "array": arrays.refusal, "object": objects.refusal}
_OTHER_REFERENCE = re.compile(r'"\$(ref|dynamicRef)": "(?!#/(\$defs|definitions)/)')
_SAMPLES = {
    "array": [],
    "boolean": True,
    "float": 0.5,
    "integer": 1,
    "null": None,
    "object": {},
    "string": "x",
}


def _groups(types: frozenset[str]) -> Iterator[frozenset[str]]:
    numbers = types & {"integer", "float"}
    if numbers:
        yield numbers
    for name in sorted(types - numbers):
        yield frozenset({name})


def _names(types: frozenset[str]) -> str:
    return " or ".join(sorted("number" if name == "float" else name for name in types))


def _is_as_before(a: Raw, b: Raw) -> bool:
    """Tell whether two subschemas are the same text and lead nowhere; others may be alike as well."""
    words = repr(a)
    return words == repr(b) and "$" not in words
