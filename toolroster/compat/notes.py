"""What a subschema says beside its rules: words, format, default, whether it is deprecated, other names."""

from dataclasses import dataclass
from typing import Any

from toolroster.compat.proof.nodes import Raw, Side
from toolroster.compat.proof.refusal import NO_VALUE

_MOST_REFERENCES = 20


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of one subschema."""

    description: str | None = None
    format: str | None = None
    default: Any = NO_VALUE
    is_deprecated: bool = False
    aliases: tuple[str, ...] = ()


def notes_of(side: Side, raw: Raw) -> Notes:
    """Return the notes of a subschema; what it leaves out may stand where it leads to, or beside null."""
    found: dict[str, Any] = {}
    for part in _parts(side, raw):
        for name, value in part.items():
            found.setdefault(name, value)
    return Notes(
        description=found.get("description"),
        format=found.get("format"),
        default=found.get("default", NO_VALUE),
        is_deprecated=found.get("deprecated") is True,
        aliases=aliases_of(found),
    )


def aliases_of(raw: Raw) -> tuple[str, ...]:
    """Return the other names under which a member is taken."""
    named = raw.get("x-aliases", raw.get("aliases")) if isinstance(raw, dict) else None
    return tuple(one for one in named if isinstance(one, str)) if isinstance(named, list) else ()


def _parts(side: Side, raw: Raw) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    while isinstance(raw, dict) and len(parts) < _MOST_REFERENCES:
        parts.append(raw)
        raw = side.target(raw["$ref"]) if isinstance(raw.get("$ref"), str) else _beside_null(raw)
    return parts


def _beside_null(raw: dict[str, Any]) -> Raw:
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = raw.get(keyword)
        if isinstance(branches, list):
            others = [branch for branch in branches if branch != {"type": "null"}]
            if len(others) == 1:
                return others[0]
    return None
