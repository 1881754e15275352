"""Compare two versions of a tool."""

from collections.abc import Collection
from typing import Any

from toolroster.compat.collected import Changes
from toolroster.compat.notes import aliases_of
from toolroster.compat.policy import CompatPolicy
from toolroster.compat.proof import Prover, Side
from toolroster.compat.report import Change, Report
from toolroster.compat.schema_changes import SchemaChanges
from toolroster.compat.subject import Document, Subject
from toolroster.compat.suggestion import suggested_version
from toolroster.compat.tool_changes import compare_tools
from toolroster.compat.witness import with_witnesses
from toolroster.schema_walk import rewrite

_DEFAULT_POLICY = CompatPolicy()
_UNPROVED_OUTPUTS = frozenset(
    {"output_enum_value_added", "output_field_added", "output_additional_properties_opened"}
)
"""Warnings about outputs that could not come before: a proof would call them breaking."""


def compare(
    *, old: Document, new: Document, policy: CompatPolicy = _DEFAULT_POLICY, published: Collection[str] = ()
) -> Report:
    """Return what a new version of a tool changes for those who use the old one.

    `old` and `new` are registration documents, checked or as they were sent. `published` are the versions
    that exist, which are never suggested.

    Raises:
        DocumentInvalid: a document is none; pointers begin with /old or /new.
        VersionInvalid: the old version is none.
    """
    before, after = Subject.of(old, "old"), Subject.of(new, "new")
    changes = Changes(policy)
    compare_tools(before, after, changes)
    found = [*changes.found, *_input_changes(before, after, policy), *_output_changes(before, after, policy)]
    return _report(before.version, found, policy, published)


def _report(old: str, found: list[Change], policy: CompatPolicy, published: Collection[str]) -> Report:
    draft = Report(old, tuple(found), old, policy)
    shifts = policy.zero_major_policy == "shift"
    version = suggested_version(old, draft.classification, published=published, shifts=shifts)
    return Report(old, draft.changes, version, policy)


def _input_changes(old: Subject, new: Subject, policy: CompatPolicy) -> list[Change]:
    changes = Changes(policy)
    walk = SchemaChanges(old.input_schema, new.input_schema, face="param", changes=changes)
    walk.whole()
    if not changes.found:
        return []
    if not _breaks(changes):
        taken = Side(_with_help(new.input_schema, policy), is_closed=True)
        _prove(changes, walk.old, taken, "param_schema_changed")
    return with_witnesses(changes.found, walk.old, walk.new, "param")


def _output_changes(old: Subject, new: Subject, policy: CompatPolicy) -> list[Change]:
    """Compare outputs where both sides declare them."""
    changes = Changes(policy)
    if old.output_schema is None or new.output_schema is None:
        if old.output_schema is not new.output_schema:
            kind = "output_schema_added" if old.output_schema is None else "output_schema_removed"
            changes.add(kind, "", "Whether it says what it returns changed")
        return changes.found
    walk = SchemaChanges(old.output_schema, new.output_schema, face="output", changes=changes)
    walk.whole()
    if not _breaks(changes) and not any(one.kind in _UNPROVED_OUTPUTS for one in changes.found):
        _prove(changes, walk.new, walk.old, "output_schema_changed")
    return with_witnesses(changes.found, walk.new, walk.old, "output")


def _breaks(changes: Changes) -> bool:
    return any(change.classification == "breaking" for change in changes.found)


def _prove(changes: Changes, smaller: Side, larger: Side, kind: str) -> None:
    """Let nothing pass as compatible that is not proved to be: the names of changes may not tell all."""
    refused = Prover(smaller, larger).whole()
    if refused is not None:
        message = f"It is not proved that what was taken is taken ({refused.reason})"
        changes.add(kind, refused.path, message, certainty="unproven")


def _with_help(schema: dict[str, Any], policy: CompatPolicy) -> dict[str, Any]:
    """Return what is taken with the registry's help: by other names, and with defaults filled in."""

    def helped(node: dict[str, Any]) -> dict[str, Any]:
        properties = node.get("properties")
        if not isinstance(properties, dict):
            return node
        aliases = {alias: name for name, raw in properties.items() for alias in aliases_of(raw)}
        filled = set(aliases.values())
        if policy.inject_defaults:
            filled |= {name for name, raw in properties.items() if isinstance(raw, dict) and "default" in raw}
        if not filled:
            return node
        also = {alias: properties[name] for alias, name in aliases.items()}
        needed = [name for name in node.get("required", ()) if name not in filled]
        return node | {"properties": also | properties, "required": needed}

    changed: dict[str, Any] = rewrite(schema, helped)
    return changed
