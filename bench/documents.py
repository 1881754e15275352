"""Registration documents of any size, and the versions that a tool has."""

from typing import Any

VERSIONS = tuple(f"{major}.{minor}.0" for major in range(1, 6) for minor in range(10))
"""Fifty versions: as many as each tool of the benchmark has (PERFORMANCE §4)."""


def make(*, provider: str, name: str, version: str, parameters: int = 5) -> dict[str, Any]:
    """Return a document with so many parameters, each with a description."""
    return {
        "provider": provider,
        "name": name,
        "version": version,
        "display_name": "Send a message",
        "description": "Send a message to one recipient, with attachments, and say when it was delivered.",
        "returns": "The id of the message.",
        "parameters": [_parameter(number) for number in range(parameters)],
        "scopes": ["bench:use"],
        "endpoint": {"url": "https://tools.example.com/send"},
        "capabilities": {"categories": ["communication"], "tags": ["mail", "message"], "cost_level": "LOW"},
        "liveness": "heartbeat",
    }


def _parameter(number: int) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [
        {"type": "string", "maxLength": 200},
        {"type": "integer", "minimum": 0, "default": 10},
        {"type": "string", "enum": ["low", "normal", "high"]},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "properties": {"unit": {"type": "string"}, "amount": {"type": "number"}}},
    ]
    about = f"What the message says in its part {number}."
    return {
        "name": f"part_{number}",
        "description": about,
        "required": number == 0,
        **kinds[number % len(kinds)],
    }
