"""What answers about sessions and memory look like: for the OpenAPI alone, views build plain objects."""

from typing import Any

from registry.api.answers import Answer


class StoredTurn(Answer):
    """The turn that is remembered now."""

    turn_id: int


class Stored(Answer):
    """What `store_memory` answers, as every tool does."""

    result: StoredTurn


class RecentMessage(Answer):
    """A message as it was said."""

    agent_id: str
    turn_id: int
    message: str


class Compressed(Answer):
    """`summary` is of the messages before `recent`, "" without any; `total` counts all."""

    summary: str
    recent: list[RecentMessage]
    total: int


class Remembered(Answer):
    """What `get_compressed_memory` answers, as every tool does."""

    result: Compressed


class SessionRow(Answer):
    """A session in the list; `ended_at` is null while it lasts, `failure` says why it ended early."""

    session_id: str
    topic: str
    model: str
    agents: list[str]
    turns: int
    calls: int
    total_tokens: int
    failure: str
    started_at: str
    ended_at: str | None


class Sessions(Answer):
    """A page, the newest first; `next` is the cursor of the next one, null on the last."""

    results: list[SessionRow]
    next: str | None


class SessionExport(Answer):
    """A whole session; `params` and `told` of calls are without what schemas mark `x-sensitive`."""

    session_id: str
    topic: str
    model: str
    turn_order: list[str]
    members: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    summary: str
    failure: str
    statistics: dict[str, Any]
    started_at: str
    ended_at: str | None
