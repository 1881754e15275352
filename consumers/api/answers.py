"""What answers look like, for the OpenAPI."""

from typing import Any, Literal

from registry.api.answers import Answer, CompatibilityChange, CompatibilityReport


class Binding(Answer):
    """One tool of an agent: its range as a reference, and the version that it is bound to."""

    ref: str
    bound: str
    lifecycle: Literal["ACTIVE", "DEPRECATED", "RETIRED"]
    declared_at: str
    moved_at: str | None


class Bindings(Answer):
    """All that an agent declared, in the order of tools."""

    results: list[Binding]


class Use(Answer):
    """How often an agent resolved, described or called a version."""

    tool_id: str
    kind: Literal["RESOLVE", "DESCRIBE", "INVOKE"]
    count: int
    first_at: str
    last_at: str


class Consumer(Answer):
    """An agent that is bound to a tool, uses it, or both."""

    client_id: str
    name: str
    ref: str | None
    bound: str | None
    uses: list[Use]


class Consumers(Answer):
    """The agents of a tool by their names."""

    results: list[Consumer]


class Affected(Consumer):
    """What a document would mean for an agent, by the versions that it is on."""

    would_break: bool
    breaking_changes: dict[str, list[CompatibilityChange]]


class AffectedConsumers(Answer):
    """Who would break, of how many."""

    would_break: int
    results: list[Affected]


class Migrated(Answer):
    """What became of an agent; `reason` is why it stayed."""

    client_id: str
    name: str
    ref: str
    moved: bool
    reason: str | None
    detail: str


class Migration(Answer):
    """What a migration did, or would do; `id` is for taking it back, null where nothing changed."""

    id: int | None
    moved: int
    stayed: int
    deprecated: bool
    agents: list[Migrated]
    compatibility: CompatibilityReport


class RolledBack(Answer):
    """Who is back on the old version."""

    id: int
    moved: int
    agents: list[dict[str, str]]


class Event(Answer):
    """Something that happened; `kind` is `source:subject:act`."""

    id: int
    kind: str
    tool_id: str
    occurred_at: str
    data: dict[str, Any]


class Events(Answer):
    """Events in an order that never skips a late commit; `next` is the place to go on behind."""

    results: list[Event]
    next: str


class Invoked(Answer):
    """What a tool answered, and which version served; `why` says why where that is not the one asked for."""

    call_id: str
    asked: str
    tool_id: str
    why: str
    attempts: int
    duration_ms: float
    result: Any


class ApprovalNeeded(Answer):
    """The call waits for people: send it again with `approval_id` once it is APPROVED."""

    approval_id: str
    state: Literal["PENDING", "APPROVED"]
    tool_id: str
    expires_at: str
    detail: str
    retry_after_seconds: int


class Called(Answer):
    """What a tool answered."""

    result: Any


class Approval(Answer):
    """A call that waits for people, or was decided; `params` are without what is sensitive."""

    id: str
    state: Literal["PENDING", "APPROVED", "REJECTED", "USED", "EXPIRED"]
    tool_id: str
    client_id: str | None
    params: dict[str, Any]
    session_id: str
    asked_at: str
    expires_at: str
    decided_at: str | None
    decided_by: str | None
    reason: str | None
    used_at: str | None


class Approvals(Answer):
    """Approvals, the newest first."""

    results: list[Approval]


class Usage(Answer):
    """Calls of a group, which is named by the members that `group_by` asked for."""

    calls: int
    failed: int
    mean_duration_ms: float | None
    longest_duration_ms: float | None
    request_bytes: int
    response_bytes: int


class Usages(Answer):
    """Groups, most calls first."""

    results: list[Usage]


class UnusedTool(Answer):
    """A version that nobody called."""

    tool_id: str
    registered_at: str


class UnusedTools(Answer):
    """Versions that nobody called since a moment."""

    since: str
    results: list[UnusedTool]


class Reported(Answer):
    """How many calls were added."""

    calls: int


class ToolToken(Answer):
    """An access token for one tool (RFC 6749 §5.1), and what it is for."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str
    resource: str
