"""What a call came to: the result, which tool served it, and why that one."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer of a tool that was called through the router.

    `content` is any JSON value, or a text. `asked` is the reference as it was asked for, `tool_id` the
    version that served; where that is not the one meant, `why` says why, else it is "". `duration_ms` is the
    time of the whole call, `attempts` how often an instance was asked.
    """

    call_id: str
    asked: str
    tool_id: str
    content: Any = field(repr=False)
    why: str = ""
    attempts: int = 1
    duration_ms: float = 0.0

    def __str__(self) -> str:
        """Return the content as a model reads it: texts as they are, all else as JSON."""
        if isinstance(self.content, str):
            return self.content
        return json.dumps(self.content, ensure_ascii=False, separators=(", ", ": "))
