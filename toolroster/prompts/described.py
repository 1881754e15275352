"""What `describe` answers, and what each format makes of one tool."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """Something to know of one tool; `pointer` (RFC 6901) leads into its input schema, "" to the tool."""

    tool_id: str
    reason: str
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """Tools as a model is told of them.

    `names` maps each exported name to its tool id, so that a model's call finds its tool. `left_out` has the
    ids of the tools over the budget or the vendor's limits, best first.
    """

    content: str | list[dict[str, Any]]
    names: dict[str, str]
    left_out: list[str]
    notes: list[Note]


@dataclass(frozen=True, slots=True)
class Rendering:
    """One tool in one format: a part of the text, or an entry of the list."""

    piece: Any
    notes: tuple[Note, ...] = ()
