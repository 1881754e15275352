"""Apply the rules to a document, and sort, cap and point what they find."""

import difflib
import heapq
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from toolroster import spelling
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid, Fault, ToolrosterError
from toolroster.lint.draft import Draft
from toolroster.lint.finding import LEVELS, Finding, Hit, Rule
from toolroster.lint.rules import DOCUMENT_INVALID, RULES
from toolroster.schema_walk import Path, pointer

MOST = 20
"""Findings of one rule; the last of them says how many more there are."""
_MOST_IN_MESSAGE = 400
_RULES = {rule.id: rule for rule in RULES}
_FIXES = {
    "missing": "Add the field.",
    "unknown_field": "Remove the field, or correct its name.",
    "duplicate": "Rename or remove one of the two.",
    "duplicate_field": "Keep one of the two spellings.",
    "wrong_type": "Send a value of the type that the message names.",
    "not_an_object": "Send an object.",
}
_OTHER_FIX = "Change what the message names; until then the document is refused."


def lint(document: Any, ignore: Iterable[str] = ()) -> list[Finding]:
    """Return what should be mended in a registration document, the worst first.

    `document` is what a client sends, in our spelling or the Java client's; one that does not parse gives
    errors alone. `ignore` holds the ids of rules that are not applied.

    Raises:
        DocumentInvalid: `ignore` names no rule, or the rule that the document parses.
    """
    skipped = _known(ignore)
    try:
        definition = ToolDefinition.parse(document)
    except ToolrosterError as error:
        return _refused(document, error)
    ours, sent = spelling.document_from_java(document)
    draft = Draft.of(ours, definition)
    found = [
        _finding(rule, hit, sent)
        for rule in RULES
        if rule.id not in skipped
        for hit in _first(rule.find(draft))
    ]
    return sorted(found, key=_rank)


def _known(ignore: Iterable[str]) -> frozenset[str]:
    ids = list(ignore)
    unknown = [rule for rule in ids if rule not in _RULES]
    if unknown:
        nearest = difflib.get_close_matches(unknown[0][:100], _RULES, n=3, cutoff=0.5)
        raise DocumentInvalid(f"There is no rule {unknown[0][:100]!r}.", nearest=nearest)
    if DOCUMENT_INVALID in ids:
        raise DocumentInvalid(
            f"{DOCUMENT_INVALID} cannot be ignored: the other rules need a document that parses."
        )
    return frozenset(ids)


def _first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the first hits in the order of their places; the last says how many were left out."""
    found = list(hits)
    kept = heapq.nsmallest(MOST, found, key=lambda hit: _place(hit.path))
    left_out = len(found) - len(kept)
    if left_out:
        kept[-1] = kept[-1]._replace(message=f"{kept[-1].message} The same in {left_out} more places.")
    return kept


def _finding(rule: Rule, hit: Hit, sent: spelling.Sent) -> Finding:
    return Finding(rule.id, rule.level, sent.pointer(pointer(hit.path)), hit.message, hit.fix)


def _rank(finding: Finding) -> tuple[int, list[tuple[int, str]], str]:
    return LEVELS.index(finding.level), _place(finding.pointer.split("/")[1:]), finding.rule


def _place(steps: Sequence[str | int]) -> list[tuple[int, str]]:
    """Return what sorts steps by name, and indices by number."""
    return [(int(step), "") if isinstance(step, int) or _is_index(step) else (-1, step) for step in steps]


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10


def _refused(document: Any, error: ToolrosterError) -> list[Finding]:
    """Return the errors of a document that does not parse."""
    faults = error.errors or (Fault("", error.code, error.detail),)
    rule = _RULES[DOCUMENT_INVALID]
    unknown = next((fault for fault in faults if fault.code == "unknown_field"), None)
    hits = [
        Hit(
            _existing(document, fault.pointer),
            _said(fault, error),
            _fix(fault, error.nearest if fault is unknown else ()),
        )
        for fault in faults
    ]
    found = [_finding(rule, hit, spelling.Sent()) for hit in _first(hits)]
    return sorted(found, key=_rank)


def _said(fault: Fault, error: ToolrosterError) -> str:
    said = f"{fault.pointer[:_MOST_IN_MESSAGE]}: {fault.detail}" if fault.pointer else error.detail
    return said[: 2 * _MOST_IN_MESSAGE]


def _fix(fault: Fault, nearest: Sequence[str]) -> str:
    """Return how to mend a fault; the error knows names nearest to the first unknown field alone."""
    fix = _FIXES.get(fault.code, _OTHER_FIX)
    return f"{fix} Fields with a similar name: {', '.join(nearest)}." if nearest else fix


def _existing(document: Any, where: str) -> Path:
    """Return the longest part of the pointer that the document has; names may have been sent outside NFC."""
    value = document
    path: list[str | int] = []
    for step in (part.replace("~1", "/").replace("~0", "~") for part in where.split("/")[1:]):
        if isinstance(value, list) and _is_index(step) and int(step) < len(value):
            path.append(int(step))
        elif isinstance(value, dict) and (name := _name_as_sent(value, step)) is not None:
            path.append(name)
        else:
            break
        value = value[path[-1]]
    return tuple(path)


def _name_as_sent(value: dict[str, Any], name: str) -> str | None:
    if name in value:
        return name
    return next((sent for sent in value if unicodedata.normalize("NFC", sent) == name), None)
