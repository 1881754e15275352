"""What a rule is, what it finds, and what its reader gets."""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple, get_args

from toolroster.lint.draft import Draft
from toolroster.schema_walk import Path

Level = Literal["error", "warning", "advice"]
"""error: the document is refused. warning: mend it before publishing. advice: it would work better."""
LEVELS: tuple[Level, ...] = get_args(Level)


class Hit(NamedTuple):
    """One place where a rule is broken; the path is in our spelling and exists in the document."""

    path: Path
    message: str
    fix: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it asks for in one line, why, and the function that finds where it is broken."""

    id: str
    level: Level
    summary: str
    reason: str
    find: Callable[[Draft], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend; `pointer` (RFC 6901) leads into the document as it was sent."""

    rule: str
    level: Level
    pointer: str
    message: str
    fix: str

    def as_json(self) -> dict[str, str]:
        """Return the finding as a JSON object."""
        return asdict(self)
