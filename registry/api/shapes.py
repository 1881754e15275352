"""What requests and answers look like; the OpenAPI is made from these."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from toolroster.definition import DocumentFields, Label, Part

ToolId = Annotated[str, Field(min_length=1, max_length=400)]
Instance = Annotated[str, Field(min_length=1, max_length=200)]
MOST_DOCUMENTS = 500
MOST_IDS = 5000


def _readable(moment: str | float | list[int]) -> str | float | list[int]:
    try:
        if isinstance(moment, str):
            datetime.fromisoformat(moment)
        elif isinstance(moment, list):  # Jackson's LocalDateTime: year, month, day, hour, minute, …
            datetime(*moment[:6])  # type: ignore[arg-type]  # noqa: DTZ001 - only whether it is one
    except (ValueError, TypeError, OverflowError) as error:
        raise PydanticCustomError("timestamp", "Write an ISO 8601 time, or leave it out.") from error
    return moment


Moment = Annotated[str | int | float | list[int], AfterValidator(_readable)]
"""ISO 8601, seconds or milliseconds since 1970, or the numbers of a LocalDateTime as Jackson writes them."""


class ProviderForm(Part):
    """All tools of one provider instance at once; counts as its first beat."""

    provider_instance: Instance | None = None
    instance_endpoint: Annotated[str, Field(max_length=2000, pattern=r"^https?://\S+$")] | None = None
    tools: Annotated[list[Any], Field(min_length=1, max_length=MOST_DOCUMENTS)]


class Heartbeat(Part):
    """A sign of life. The timestamp is informational: the server's clock decides."""

    tool_ids: Annotated[list[ToolId], Field(min_length=1, max_length=MOST_IDS)]
    provider_instance: Instance
    timestamp: Moment | None = None


class Deregistration(Part):
    """Gives leases back: of one instance, or of all without one."""

    tool_ids: Annotated[list[ToolId], Field(min_length=1, max_length=MOST_IDS)]
    provider_instance: Instance | None = None


class ListQuery(Part):
    """Filters and paging of the list; repeated `category` and `tag` mean any of them."""

    category: Annotated[list[Label], Field(max_length=50)] = []
    tag: Annotated[list[Label], Field(max_length=50)] = []
    provider: Annotated[str, Field(max_length=63)] | None = None
    cost_level: Literal["LOW", "MEDIUM", "HIGH"] | None = None
    read_only: bool | None = None
    idempotent: bool | None = None
    include_deprecated: bool = False
    limit: Annotated[int, Field(ge=1, le=1000)] | None = None
    cursor: Annotated[str, Field(max_length=600)] | None = None


class SearchRequest(Part):
    """A request in natural language, with the filters of the list."""

    query: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    category: Annotated[list[Label], Field(max_length=50)] | Label = []
    tag: Annotated[list[Label], Field(max_length=50)] | Label = []
    provider: Annotated[str, Field(max_length=63)] | None = None
    cost_level: Literal["LOW", "MEDIUM", "HIGH"] | None = None
    read_only: bool | None = None
    idempotent: bool | None = None
    include_deprecated: bool = False
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class ResolveQuery(Part):
    """Either `ref`, or `name` with `version` and `provider`."""

    ref: Annotated[str, Field(max_length=1200)] | None = None
    name: Annotated[str, Field(max_length=100)] | None = None
    version: Annotated[str, Field(max_length=2000)] | None = None
    provider: Annotated[str, Field(max_length=100)] | None = None
    include_prerelease: bool = False


class NoQuery(Part):
    """No query parameter at all."""


class SeedTool(Part):
    """seeds/000's registration; `endpoint` is a path below host and port."""

    provider: Annotated[str, Field(max_length=63)] | None = None
    version: str = "1.0.0"
    name: str
    endpoint: Annotated[str, Field(max_length=1900, pattern=r"^/\S*$")]
    scopes: list[str]
    description: str = ""
    parameters: dict[str, dict[str, Any]] = {}
    returns: str = ""
    host: Annotated[str, Field(max_length=253, pattern=r"^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])$")] = (
        "localhost"
    )
    port: Annotated[int, Field(ge=1, le=65_535)] = 8002


class Answer(BaseModel):
    """Base of answers: documentation only, views build plain objects."""

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
    sunset_at: str | None
    replaced_by: str | None
    deprecation_reason: str | None


class RegisterResult(Answer):
    """What became of one document; `problem` where it was refused."""

    tool_id: str | None
    outcome: Literal["created", "updated", "unchanged", "refused"]
    changes: list[str]
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
    """Whether the tool was known."""

    tool_id: str
    outcome: Literal["ended", "unknown"]


class DeregisterAnswer(Answer):
    """One result for each id."""

    results: list[EndOutcome]


class ListAnswer(Answer):
    """A page; `next` is the cursor of the next one, null on the last."""

    results: list[Registration]
    next: str | None


class SearchResult(Answer):
    """One tool; `similarity` is the cosine (null: found by words alone), `score` decides the order."""

    tool: Registration
    similarity: float | None
    score: float
    why: str


class SearchAnswer(Answer):
    """Best first; `nothing_fits` says that even the best one is far off."""

    results: list[SearchResult]
    nothing_fits: bool


class VersionsAnswer(Answer):
    """The versions of one tool, the highest first."""

    results: list[Registration]


class StatsAnswer(Answer):
    """Counts of what the caller may see."""

    tools: int
    registrations: int
    providers: int
    by_health: dict[str, int]
    by_lifecycle: dict[str, int]
    by_category: dict[str, int]
