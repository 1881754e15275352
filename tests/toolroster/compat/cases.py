"""Serve the cases of the data: our own changes of tools, and pairs of schemas from other projects."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.shared_data import shared_data
from toolroster.compat import CompatPolicy, Report, compare

_HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def tool_changes() -> list[dict[str, Any]]:
    """Return our cases, with documents in the words of the registration document."""
    text = (Path(__file__).parent / "data/tool-changes.json").read_text()
    cases: list[dict[str, Any]] = json.loads(text)["cases"]
    return [
        case | {side: _document(case[side], case["old_version"]) for side in ("old", "new")} for case in cases
    ]


def pairs(name: str) -> list[dict[str, Any]]:
    """Return the cases of a shared file."""
    cases: list[dict[str, Any]] = json.loads(shared_data(f"compat/{name}.json").read_text())["cases"]
    return cases


def _document(told: dict[str, Any], version: str) -> dict[str, Any]:
    kept = {k: v for k, v in told.items() if k in {"name", "description", "scopes", "endpoint", "deprecated"}}
    hints = {_HINTS[name]: value for name, value in told["annotations"].items()}
    labels = {"categories": told["capabilities"], "tags": told["tags"]}
    policy = dict(told["policy"])
    policy["timeout_ms"] = policy.pop("timeout_seconds") * 1000
    return kept | {
        "version": version,
        "parameters": [_parameter(one) for one in told["parameters"]],
        "output_schema": told["outputs"],
        "capabilities": hints | labels,
        "policy": policy,
    }


def _parameter(told: dict[str, Any]) -> dict[str, Any]:
    return {"required_properties" if k == "requiredProperties" else k: v for k, v in told.items()}


def parameter(**keywords: Any) -> dict[str, Any]:
    return {"name": "t", "version": "1.0.0", "parameters": [{"name": "p", **keywords}]}


def of_parameters(old: dict[str, Any], new: dict[str, Any], **switches: Any) -> Report:
    policy = replace(CompatPolicy(), **switches)
    return compare(old=parameter(**old), new=parameter(**new), policy=policy)


def of_outputs(old: dict[str, Any], new: dict[str, Any], **switches: Any) -> Report:
    schemas = [{"type": "object", "properties": {"f": one}, "required": ["f"]} for one in (old, new)]
    documents = [{"name": "t", "output_schema": schema} for schema in schemas]
    policy = replace(CompatPolicy(), **switches)
    return compare(old=documents[0], new=documents[1], policy=policy)
