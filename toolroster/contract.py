"""The contract of a version: what callers rely on, immutable once published.

It is the schemas without their words, the scopes, the side-effect flags and `requires_approval`. Words,
endpoint and harmless policy changes are made in place; what else would break callers (narrower roles) is
for `toolroster.compat` to tell (COMPAT §3.2).
"""

import hashlib
import json
from typing import Any

from toolroster.definition import ToolDefinition
from toolroster.errors import Fault
from toolroster.schema_walk import Path, pointer, rewrite, without_words


def contract(definition: ToolDefinition) -> dict[str, Any]:
    """Return the parts of a definition that its callers rely on, in one canonical form."""
    capabilities = definition.capabilities
    found = {
        "input_schema": _canonical(definition.input_schema),
        "output_schema": _canonical(definition.output_schema),
        "scopes": sorted(set(definition.scopes)),
        "capabilities": {
            "read_only": capabilities.read_only,
            "idempotent": capabilities.idempotent,
            "destructive": capabilities.destructive,
            "open_world": capabilities.open_world,
        },
        "policy": {"requires_approval": definition.policy.requires_approval},
    }
    plain: dict[str, Any] = _with_plain_numbers(found)
    return plain


def contract_hash(definition: ToolDefinition) -> str:
    """Return the SHA-256 (hex) of the contract's canonical JSON."""
    return hashlib.sha256(_text(contract(definition)).encode()).hexdigest()


def differences(published: ToolDefinition, sent: ToolDefinition) -> list[Fault]:
    """Return where the contract that was sent departs from the published one; [] when it does not."""
    found: list[Fault] = []
    _compare(contract(published), contract(sent), (), found)
    return found


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _with_plain_numbers(value: Any) -> Any:
    """Return the value with 1.0 written as 1: they are one number in JSON Schema (core §4.2.2)."""
    if isinstance(value, dict):
        return {name: _with_plain_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_plain_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _canonical(schema: Any) -> Any:
    """Return the schema without words, its sets in one order."""
    return rewrite(without_words(schema), _sort_sets)


def _sort_sets(node: dict[str, Any]) -> dict[str, Any]:
    as_sets = {k: sorted(node[k]) for k in ("required", "type") if isinstance(node.get(k), list)}
    return {k: v for k, v in {**node, **as_sets}.items() if (k, v) not in _EMPTY}


_EMPTY: tuple[tuple[str, Any], ...] = (("required", []), ("properties", {}))
"""Keywords that say nothing."""


def _compare(published: Any, sent: Any, path: Path, found: list[Fault]) -> None:
    if _text(published) == _text(sent):
        return
    if isinstance(published, dict) and isinstance(sent, dict):
        for name in sorted(published.keys() | sent.keys()):
            _compare_member(published, sent, name, path, found)
    else:
        found.append(
            Fault(pointer(path), "changed", f"{_short(published)} is published, {_short(sent)} sent.")
        )


def _compare_member(
    published: dict[str, Any], sent: dict[str, Any], name: str, path: Path, found: list[Fault]
) -> None:
    if name not in sent:
        found.append(Fault(pointer((*path, name)), "removed", f"{_short(published[name])} is missing."))
    elif name not in published:
        found.append(Fault(pointer((*path, name)), "added", f"{_short(sent[name])} is not published."))
    else:
        _compare(published[name], sent[name], (*path, name), found)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 80 else text[:79] + "…"
