"""Compare the members of objects and the entries of arrays."""

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from toolroster.compat.notes import notes_of
from toolroster.compat.proof import Prover
from toolroster.compat.proof.equality import text_of
from toolroster.compat.proof.nodes import ALL, Node, Raw

if TYPE_CHECKING:
    from toolroster.compat.schema_changes import SchemaChanges

_LEAST_LIKENESS = 0.6
_SHAPE = {"properties", "additionalProperties", "required"}


def compare_objects(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    """Compare two object schemas."""
    if "object" not in a.get("type", ALL) or not (a.keys() | b.keys()) & _SHAPE:
        return
    old, new = a.get("properties", {}), b.get("properties", {})
    aliases = _aliases(walk, new)
    for name in old:
        if name in new:
            _required(walk, a, b, name, path)
            walk.compare(old[name], new[name], below(path, name))
        elif name in aliases:
            _renamed(walk, a, b, name, aliases[name], path)
        else:
            _removed(walk, a, b, name, path)
    for name in new:
        if name not in old and name not in aliases.values():
            _added(walk, a, b, name, path)
    for name in sorted({*a.get("required", ()), *b.get("required", ())} - old.keys() - new.keys()):
        _required(walk, a, b, name, path)
    _others(walk, a, b, path)


def below(path: str, name: str) -> str:
    """Return the path of a member."""
    return f"{path}.{name}" if path else name


def _aliases(walk: "SchemaChanges", new: dict[str, Raw]) -> dict[str, str]:
    """Return the names that are taken still, by the name that stands for them now."""
    if not walk.is_input:
        return {}
    return {alias: name for name, raw in new.items() for alias in notes_of(walk.new, raw).aliases}


def _required(walk: "SchemaChanges", a: Node, b: Node, name: str, path: str) -> None:
    was, is_now = name in a.get("required", ()), name in b.get("required", ())
    if was == is_now:
        return
    if walk.is_input:
        kind, message = (
            ("became_required", "It is required now") if is_now else ("became_optional", "It is optional now")
        )
    else:
        kind = "field_became_required" if is_now else "field_became_optional"
        message = "It is always there now" if is_now else "It may be missing now"
    walk.add(kind, below(path, name), message)


def _renamed(walk: "SchemaChanges", a: Node, b: Node, name: str, now: str, path: str) -> None:
    where = below(path, name)
    walk.add(
        "renamed_with_alias", where, f"It is called {now!r} now; the old name is still taken", renamed_to=now
    )
    if now in b.get("required", ()) and name not in a.get("required", ()):
        walk.add("became_required", below(path, now), "It is required now")
    walk.compare(a["properties"][name], b["properties"][now], below(path, now))


def _removed(walk: "SchemaChanges", a: Node, b: Node, name: str, path: str) -> None:
    where = below(path, name)
    if walk.is_input:
        if _is_taken(walk, a, b, name, where):
            return
        now = _likely_name(a, b, name)
        hint = f"; it may be called {now!r} now" if now else ""
        walk.add("removed", where, f"It is gone{hint}", renamed_to=now)
    elif name in a.get("required", ()):
        walk.add("field_removed", where, "It is gone from the output")
    else:
        walk.add("optional_field_removed", where, "It is gone from the output, where it could be missing")


def _is_taken(walk: "SchemaChanges", a: Node, b: Node, name: str, where: str) -> bool:
    """Tell whether the new side takes the member as one of any name, and note it."""
    rest = walk.new.additional(b)
    if rest is False or b.get("patternProperties"):
        return False
    if Prover(walk.old, walk.new).safely(a["properties"][name], rest, where) is not None:
        return False
    walk.add("schema_widened", where, "It is not declared any more, and still taken as any other member")
    return True


def _likely_name(a: Node, b: Node, name: str) -> str | None:
    """Return the new member that the old one may have become: of the same type, and called like it."""
    gone, new = a["properties"][name], b.get("properties", {})
    fitting = [
        other
        for other in new
        if other not in a["properties"] and _kind(new[other]) == _kind(gone) and _is_like(name, other)
    ]
    return fitting[0] if fitting else None


def _kind(raw: Raw) -> str:
    return text_of(raw.get("type")) if isinstance(raw, dict) else ""


def _is_like(one: str, other: str) -> bool:
    mine, yours = one.casefold(), other.casefold()
    is_part = mine in yours or yours in mine
    return is_part or SequenceMatcher(None, mine, yours).ratio() >= _LEAST_LIKENESS


def _added(walk: "SchemaChanges", a: Node, b: Node, name: str, path: str) -> None:
    where, raw = below(path, name), b["properties"][name]
    if not walk.is_input:
        walk.add("field_added", where, "It is new in the output")
        return
    rest = walk.old.additional(a)
    is_required = name in b.get("required", ())
    if is_required:
        has_default = isinstance(raw, dict) and "default" in raw
        walk.add("added_required", where, "It is new, and required", has_default=has_default)
    else:
        walk.add("added_optional", where, "It is new, and optional")
    if rest is not False:  # it could be there before, as anything that others may be
        walk.compare(rest, raw, where)


def _others(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    """Compare what members without a declared name may be."""
    if a.get("patternProperties") or b.get("patternProperties"):
        return  # judged by proof
    old, new = walk.old.additional(a), walk.new.additional(b)
    if not walk.is_input:
        old, new = a.get("additionalProperties", False), b.get("additionalProperties", False)
    if old is False and new is False:
        return
    if old is False or new is False:
        kind = "additional_properties_opened" if old is False else "additional_properties_closed"
        walk.add(kind, path, "Whether members without a name here are taken changed")
    else:
        walk.compare(old, new, f"{path}.*" if path else "*")


def compare_arrays(walk: "SchemaChanges", a: Node, b: Node, path: str) -> None:
    """Compare two array schemas, entry by entry where they differ by place."""
    if "array" not in a.get("type", ALL) or not (a.keys() | b.keys()) & {"items", "prefixItems"}:
        return
    mine, yours = a.get("prefixItems", []), b.get("prefixItems", [])
    my_rest, your_rest = a.get("items", True), b.get("items", True)
    for place in range(max(len(mine), len(yours))):
        one, other = _entry(mine, my_rest, place), _entry(yours, your_rest, place)
        _compare_entries(walk, one, other, f"{path}[{place}]")
    _compare_entries(walk, my_rest, your_rest, f"{path}[]")


def _entry(prefix: list[Raw], rest: Raw, place: int) -> Any:
    return prefix[place] if place < len(prefix) else rest


def _compare_entries(walk: "SchemaChanges", old: Raw, new: Raw, path: str) -> None:
    if old is False and new is not False:
        walk.add("constraint_loosened", path, "There may be an entry now")
    elif new is False and old is not False:
        walk.add("constraint_tightened", path, "There may be no entry any more")
    else:
        walk.compare(old, new, path)
