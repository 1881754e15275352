"""Name the differences between two schemas, subschema by subschema.

Inputs are compared as callers see them: what was taken must still be taken. Outputs are compared as their
readers see them: what comes now must be what could come before. The kinds differ by that, the walk does not.
"""

from collections.abc import Callable
from typing import Any, Literal

from toolroster.compat import members
from toolroster.compat.collected import Changes
from toolroster.compat.drift import is_rewritten
from toolroster.compat.keywords import KEYWORDS
from toolroster.compat.notes import Notes, notes_of
from toolroster.compat.proof import Prover, Side
from toolroster.compat.proof.equality import text_of, words_of
from toolroster.compat.proof.nodes import ALL, Node, Raw
from toolroster.compat.proof.refusal import NO_VALUE

Face = Literal["param", "output"]
MOST_STEPS = 20_000
_COMPOSED = (
    "anyOf",
    "oneOf",
    "not",
    "if",
    "contains",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "opaque",
)
"""Keywords whose difference only a proof can judge."""
_UNIONS = {"anyOf": "anyof", "oneOf": "oneof"}


class SchemaChanges:
    """Compares two schemas; `face` is the side of the tool that they describe."""

    def __init__(self, old: Raw, new: Raw, *, face: Face, changes: Changes) -> None:
        self.face = face
        self.changes = changes
        is_input = face == "param"
        self.old = Side(old, is_closed=is_input, is_smaller=is_input)
        self.new = Side(new, is_closed=True, is_smaller=not is_input)
        self._within: set[tuple[int, int]] = set()
        self._steps = 0

    @property
    def is_input(self) -> bool:
        return self.face == "param"

    def whole(self) -> None:
        """Compare the roots."""
        if text_of(self.old.root) != text_of(self.new.root):
            self.compare(self.old.root, self.new.root, "")

    def add(self, kind: str, path: str, message: str, **more: Any) -> None:
        """Note a change of this side of the tool."""
        self.changes.add(f"{self.face}_{kind}", path, message, **more)

    def compare(self, old: Raw, new: Raw, path: str) -> None:
        """Compare two subschemas."""
        pair = (id(old), id(new))
        if pair in self._within:
            return
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._within) > 60:
            self.add("schema_changed", path, "It is too large to be compared", certainty="unproven")
            return
        self._within.add(pair)
        try:
            self._compare(old, new, path)
        finally:
            self._within.discard(pair)

    def _compare(self, old: Raw, new: Raw, path: str) -> None:
        a, b = self.old.node(old), self.new.node(new)
        mine, yours = notes_of(self.old, old), notes_of(self.new, new)
        self._words(mine, yours, path)
        if text_of(old) == text_of(new) and "$ref" not in text_of(old):
            return
        differing = [one for one in _COMPOSED if (one in a or one in b) and _differ(a.get(one), b.get(one))]
        if differing and not ("type" in a and "type" in b):  # nothing but forms to choose from
            self._composed(old, new, a, b, path)
            return
        before = len(self.changes.found)
        self._plain(a, b, mine, yours, path)
        if differing and not any(one.classification == "breaking" for one in self.changes.found[before:]):
            self._composed(old, new, a, b, path)

    def _plain(self, a: Node, b: Node, mine: Notes, yours: Notes, path: str) -> None:
        if not self._types(a, b, path):
            return
        for keyword in KEYWORDS:
            keyword(self, a, b, path)
        self._noted(mine, yours, path)
        members.compare_objects(self, a, b, path)
        members.compare_arrays(self, a, b, path)

    def _words(self, old: Notes, new: Notes, path: str) -> None:
        if old.description == new.description:
            return
        before, after = old.description or "", new.description or ""
        kind = "description_changed" if is_rewritten(before, after) else "description_edited"
        self.changes.add(kind, path, "Its description changed", old=before, new=after)

    def _noted(self, old: Notes, new: Notes, path: str) -> None:
        if old.format != new.format:
            self._format(old.format, new.format, path)
        if self.is_input and text_of(old.default) != text_of(new.default):
            given = {"old": old.default, "new": new.default}
            self.add("default_changed", path, "Its default changed", **given)
        if old.is_deprecated != new.is_deprecated:
            self.add("deprecated" if new.is_deprecated else "restored", path, "Its deprecation changed")

    def _format(self, old: str | None, new: str | None, path: str) -> None:
        if old is None or new is None:
            kind = "format_added" if old is None else "format_removed"
        else:
            kind = "format_widened" if (old, new) in _WIDER_FORMATS else "format_changed"
        given = {"old": old or NO_VALUE, "new": new or NO_VALUE}
        self.add(kind, path, "Its format changed", **given)

    def _types(self, a: Node, b: Node, path: str) -> bool:
        """Compare the types; return whether what is below them can be compared."""
        old, new = a.get("type", ALL), b.get("type", ALL)
        if old == new or not (old - {"null"}) or not (new - {"null"}):
            return old == new or self._type(old, new, path)
        if ("null" in old) != ("null" in new):
            kind = "nullable_added" if "null" in new else "nullable_removed"
            self.add(kind, path, "Whether it may be null changed")
        old, new = old - {"null"}, new - {"null"}
        return old == new or self._type(old, new, path)

    def _type(self, old: frozenset[str], new: frozenset[str], path: str) -> bool:
        kind = "type_widened" if old < new else "type_narrowed" if new < old else "type_changed"
        self.add(kind, path, "Its type changed", old=type_name(old), new=type_name(new))
        return False

    def _composed(self, old: Raw, new: Raw, a: Node, b: Node, path: str) -> None:
        """Judge by proof what is composed, and name it by the branches that came and went."""
        forward, back = self._proofs(old, new, path)
        if forward and back:
            return
        is_fine = forward if self.is_input else back
        for keyword, word in _UNIONS.items():
            came, went = branches_changed(a, b, keyword)
            if came or went:
                self._union(word, came=came, went=went, is_fine=is_fine, path=path)
                return
        better = "schema_widened" if self.is_input else "schema_narrowed"
        certainty = "proven" if is_fine else "unproven"
        message = (
            "Its rules changed" if is_fine else "Its rules changed, and it is not proved to be compatible"
        )
        self.add(better if is_fine else "schema_changed", path, message, certainty=certainty)

    def _proofs(self, old: Raw, new: Raw, path: str) -> tuple[bool, bool]:
        """Return whether all that was is now, and whether all that is now was."""
        forward = Prover(self.old, self.new).safely(old, new, path) is None
        back = Prover(self.new, self.old).safely(new, old, path) is None
        return forward, back

    def _union(self, word: str, *, came: list[Any], went: list[Any], is_fine: bool, path: str) -> None:
        more, fewer = f"{word}_branch_added", f"{word}_branch_removed"
        given = {"old": went or NO_VALUE, "new": came or NO_VALUE}
        if self.is_input and is_fine:
            kind = "oneof_branch_widened" if word == "oneof" else more
        elif self.is_input:
            kind = fewer if went or word == "anyof" else more
        else:
            kind = fewer if is_fine else more
        self.add(kind, path, "Its forms changed", certainty="proven" if is_fine else "unproven", **given)


_WIDER_FORMATS = {
    ("uri", "uri-reference"),
    ("uri", "iri"),
    ("uri-reference", "iri-reference"),
    ("iri", "iri-reference"),
    ("email", "idn-email"),
    ("hostname", "idn-hostname"),
    ("int32", "int64"),
    ("float", "double"),
}
"""The second takes all that the first takes."""


def _differ(old: Any, new: Any) -> bool:
    return old is None or new is None or _said(old) != _said(new)


def _said(value: Any) -> str:
    """Return what a keyword says of a list of unions or conjuncts, or of a map of names."""
    if isinstance(value, dict):
        return text_of({name: words_of(one) for name, one in value.items()})
    return words_of(value) if isinstance(value, list) else text_of(value)


def branches_changed(a: Node, b: Node, keyword: str) -> tuple[list[Any], list[Any]]:
    """Return the branches that came and those that went."""
    old = {words_of(branch): branch for union in a.get(keyword, ()) for branch in union}
    new = {words_of(branch): branch for union in b.get(keyword, ()) for branch in union}
    return [new[one] for one in new if one not in old], [old[one] for one in old if one not in new]


def type_name(types: frozenset[str]) -> Any:
    """Return types as JSON Schema writes them."""
    if types == ALL - {"null"} or types == ALL:
        return "any"
    names = sorted((types - {"integer", "float"}) | {"number"} if "float" in types else types)
    return names[0] if len(names) == 1 else names


Keyword = Callable[[SchemaChanges, Node, Node, str], None]
