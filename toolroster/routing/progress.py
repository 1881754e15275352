"""How far a call has come: what decides what may be done next, and what is noted in the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Progress:
    """`sent`: something may have reached a tool. `params` are set once they are what the tool takes."""

    tool_id_asked: str = ""
    tool_id: str = ""
    instance: str = ""
    why: str = ""
    attempts: int = 0
    sent: bool = False
    request_bytes: int = 0
    response_bytes: int = 0
    params: Mapping[str, Any] | None = field(default=None, repr=False)
    schema: Mapping[str, Any] = field(default_factory=dict, repr=False)
