"""What requests about calls look like."""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, RootModel

from toolroster.definition import Part

Ref = Annotated[str, Field(min_length=1, max_length=1200)]
SessionId = Annotated[str, Field(max_length=200)]


class Invocation(Part):
    """One call: `tool` is `[provider/]name` or a tool id, `version_constraint` a range or channel.

    `dry_run` checks everything and calls nothing. `timeout_ms` is what the caller has left.
    """

    tool: Ref
    params: dict[str, Any] = {}
    version_constraint: Annotated[str, Field(min_length=1, max_length=1024)] | None = None
    session_id: SessionId = ""
    approval_id: Annotated[str, Field(max_length=40)] = ""
    timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] | None = None
    dry_run: bool = False


class Arguments(RootModel[dict[str, Any]]):
    """The arguments of a call, as the tool takes them."""


class Decision(Part):
    """Why a call was approved or refused."""

    reason: Annotated[str, Field(max_length=1000)] = ""


class ApprovalsQuery(Part):
    """Which approvals, the newest first."""

    state: Literal["PENDING", "APPROVED", "REJECTED", "USED", "EXPIRED"] | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


GroupBy = Literal["tool", "version", "agent", "provider", "outcome", "hour", "day"]


class UsageQuery(Part):
    """Which calls are summed, and by what; times are ISO 8601 with a zone, `since` included, `until` not."""

    group_by: list[GroupBy] = []
    tool: Annotated[str, Field(max_length=200)] | None = None
    version: Annotated[str, Field(max_length=256)] | None = None
    agent: Annotated[str, Field(max_length=255)] | None = None
    provider: Annotated[str, Field(max_length=63)] | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = 1000


class UnusedQuery(Part):
    """Tools that nobody called for so many days."""

    days: Annotated[int, Field(ge=1, le=3650)] = 30
    limit: Annotated[int, Field(ge=1, le=10_000)] = 1000


class UsageReport(Part):
    """Calls that an agent made itself, in the shape of seeds/000 `get_tool_usage_stats`.

    Only `usage_by_tool` is added up, as what came since the report before; the rest is for the reader.
    """

    agent: Annotated[str, Field(max_length=200)] = ""
    total_tools_available: Annotated[int, Field(ge=0)] = 0
    total_tool_calls: Annotated[int, Field(ge=0)] = 0
    usage_by_tool: dict[
        Annotated[str, Field(min_length=1, max_length=400)], Annotated[int, Field(ge=0, le=1_000_000_000)]
    ]
    most_used_tool: str | None = None
