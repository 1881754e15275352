"""What answers look like: for the OpenAPI alone, views build plain objects."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from toolroster.definition import DocumentFields

Described = dict[tuple[int | str, str], type[BaseModel]]
"""Answers by status and media type, as `extend_schema` takes them."""


def described(answer: type[BaseModel], *, also: int | None = None) -> Described:
    """Return the answers of a call: 200, `also` a status with the same body, and problems."""
    same = [200] if also is None else [200, also]
    problems: Described = {(status, "application/problem+json"): Problem for status in ("4XX", "5XX")}
    return {(status, "application/json"): answer for status in same} | problems


class Answer(BaseModel):
    """Base of answers; a client ignores members that it does not know."""

    model_config = ConfigDict(extra="allow")


class Problem(Answer):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[dict[str, str]]
    retryable: bool
    retry_after_seconds: int | None
    nearest: list[str]


class Registration(DocumentFields):
    """A registration as it is served: the document and the facts of the moment."""

    model_config = ConfigDict(extra="allow")

    tool_id: str
    status: Literal["ACTIVE", "DEPRECATED", "UNAVAILABLE", "RETIRED"]
    review: Literal["DRAFT", "PENDING", "APPROVED", "REJECTED"]
    lifecycle: Literal["ACTIVE", "DEPRECATED", "RETIRED"]
    health: Literal["HEALTHY", "SUSPECT", "UNAVAILABLE", "UNMONITORED"]
    registered_at: str
    updated_at: str
    last_heartbeat_at: str | None
    contract_hash: str
    deprecated_at: str | None
    yanked_at: str | None
    sunset_at: str | None
    replaced_by: str | None
    deprecation_reason: str | None


class CompatibilityChange(Answer):
    """One difference (COMPAT); `old`, `new` and `witness` (a call that is taken no more) where they exist."""

    kind: str
    path: str
    message: str
    rule_id: str
    certainty: Literal["proven", "unproven"]
    review_required: bool


class CompatibilityReport(Answer):
    """What changed between two versions, and the lowest version that may carry it (seeds/004)."""

    is_compatible: bool
    classification: Literal["breaking", "warning", "info", "none"]
    breaking_changes: list[CompatibilityChange]
    warnings: list[CompatibilityChange]
    info: list[CompatibilityChange]
    old_version: str
    suggested_version: str
    certainty: Literal["proven", "unproven"]
    review_required: bool
    policy: dict[str, bool | str]


class VersionVerdict(CompatibilityReport):
    """A report on a version, with the release it was compared with."""

    compared_with: str
    version_is_sufficient: bool


class RegisterResult(Answer):
    """What became of one document; `problem` where it was refused.

    `compatibility` is the verdict on a new version, null for the first one of a tool.
    """

    tool_id: str | None
    outcome: Literal["created", "updated", "unchanged", "refused"]
    changes: list[str]
    compatibility: VersionVerdict | None
    problem: Problem | None


class RegisterAnswer(Answer):
    """One result for each document, in their order."""

    results: list[RegisterResult]


class BeatOutcome(Answer):
    """What a beat did to one tool."""

    tool_id: str
    outcome: Literal["renewed", "recovered", "unknown", "conflict"]


class HeartbeatAnswer(Answer):
    """`next_beat_seconds` says when the next beat is expected."""

    results: list[BeatOutcome]
    next_beat_seconds: int


class EndOutcome(Answer):
    """Whether a lease ended; `unchanged` where there was none to end."""

    tool_id: str
    outcome: Literal["ended", "unchanged", "unknown"]


class DeregisterAnswer(Answer):
    """One result for each id."""

    results: list[EndOutcome]


class ListAnswer(Answer):
    """A page; `next` is the cursor of the next one, null on the last."""

    results: list[Registration]
    next: str | None


class SearchResult(Answer):
    """One tool; `similarity` is the cosine (null: found by words alone), `score` decides the order.

    `near_duplicates` are ids of tools that are nearly the same, and of other versions: at most ten.
    """

    tool: Registration
    similarity: float | None
    score: float
    why: str
    near_duplicates: list[str]


class SearchAnswer(Answer):
    """Best first; `nothing_fits` says that even the best one is far off."""

    results: list[SearchResult]
    nothing_fits: bool


class DescribedNote(Answer):
    """Why a tool is told otherwise than its schema says, or not at all; the pointer leads into its schema."""

    tool_id: str
    pointer: str
    reason: str


class DescribeAnswer(Answer):
    """What to tell a model: a text, or the list that a vendor's API takes.

    `names` maps each exported name to its tool id, `left_out` are those beyond the budget.
    """

    format: str
    content: str | list[dict[str, Any]]
    names: dict[str, str]
    left_out: list[str]
    notes: list[DescribedNote]


class VersionsAnswer(Answer):
    """The versions of one tool, the highest first."""

    results: list[Registration]


class Channel(Answer):
    """Where a channel points; `pinned_at` is null for one that follows the highest version."""

    channel: str
    tool_id: str
    version: str
    lifecycle: Literal["ACTIVE", "DEPRECATED", "RETIRED"]
    pinned_at: str | None


class Channels(Answer):
    """The channels of a tool by their names."""

    results: list[Channel]


class StatsAnswer(Answer):
    """Counts of what the caller may see; health as the last sweep left it, see a tool for how it is now."""

    tools: int
    registrations: int
    providers: int
    by_health: dict[str, int]
    by_lifecycle: dict[str, int]
    by_category: dict[str, int]


class SeedParameter(Answer):
    """A parameter as seeds/000 shows it."""

    type: str
    description: str
    required: bool


class SeedToolAnswer(Answer):
    """A tool as seeds/000 shows it; `endpoint` is a path below host and port."""

    model_config = ConfigDict(extra="forbid")

    name: str
    endpoint: str
    scopes: list[str]
    description: str
    parameters: dict[str, SeedParameter]
    returns: str
    host: str
    port: int


class Discovery(Answer):
    """What the caller can use; `client_id` and `scopes` with a token."""

    service: str
    version: str
    protocol: Literal["MCP"]
    authenticated: bool
    client_id: str | None = None
    scopes: list[str] = []
    tools: list[SeedToolAnswer]
    total_available: int


class SeedRegistered(Answer):
    """What became of the tool."""

    message: str
    tool_id: str
    outcome: Literal["created", "updated", "unchanged"]
    changes: list[str]


class SeedStats(Answer):
    """seeds/000's four keys count tools; ours count all that the caller may see."""

    total_tools: int
    tools_by_name: list[str]
    scope_usage: dict[str, int]
    unique_scopes: int
    registrations: int
    providers: int


class Health(Answer):
    """Each part is `up`, `down` or, where the settings want none, `off`."""

    status: Literal["healthy", "unhealthy"]
    service: str
    parts: dict[str, Literal["up", "down", "off"]]


class Live(Answer):
    """The web process answers."""

    status: Literal["alive"]
