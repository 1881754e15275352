"""The project's own probe tools (demo/probe) as registration documents: a catalogue to search in."""

import json
from pathlib import Path
from typing import Any

_PROBE = Path(__file__).parent / "probe" / "tools.jsonl"


def probe_documents() -> list[dict[str, Any]]:
    """Return one document for each probe tool; they are described, not served, and never expire."""
    lines = _PROBE.read_text(encoding="utf-8").splitlines()
    return [_document(json.loads(line)) for line in lines]


def _document(tool: dict[str, Any]) -> dict[str, Any]:
    return {
        "provider": "probe",
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["params"],
        "examples": tool["examples"],
        "capabilities": {"categories": [tool["category"]], "tags": tool["tags"]},
        "liveness": "none",
    }
