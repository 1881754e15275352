"""What requests look like: what bodies and queries are checked against, and the OpenAPI is made from."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, RootModel, SkipValidation
from pydantic_core import PydanticCustomError

from toolroster.definition import CallableUrl, Label, Part, ToolDefinition

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


Documents = Annotated[list[SkipValidation[ToolDefinition]], Field(min_length=1, max_length=MOST_DOCUMENTS)]
"""As they were sent: the service checks each by itself, so that one bad document does not stop the others."""


class ProviderForm(Part):
    """All tools of one provider instance at once; counts as its first beat.

    `compatibility_override` is an operator's reason (`tools:admin`) to publish versions whose changes need
    a higher number.
    """

    provider_instance: Instance | None = None
    instance_endpoint: CallableUrl | None = None
    compatibility_override: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    tools: Documents


def _exactly_one(schema: dict[str, Any]) -> None:
    schema["oneOf"] = schema.pop("anyOf")


class Registering(RootModel[ToolDefinition | Documents | ProviderForm]):
    """The three forms of a registration, for the OpenAPI: a document, a list of them, the provider form."""

    model_config = ConfigDict(json_schema_extra=_exactly_one)


Compared = Annotated[str, Field(min_length=1, max_length=1200)] | SkipValidation[ToolDefinition]
"""A tool id, a reference or a document; which of them is told when it is read."""


class Comparison(Part):
    """What is compared, under which switches; what is not sent is as the platform has it."""

    old: SkipValidation[Compared] | None = None
    new: SkipValidation[Compared]
    policy: dict[str, bool | str] = {}


class Heartbeat(Part):
    """A sign of life. The timestamp is informational: the server's clock decides."""

    tool_ids: Annotated[list[ToolId], Field(min_length=1, max_length=MOST_IDS)]
    provider_instance: Instance
    timestamp: Moment | None = None


Reason = Annotated[str, Field(max_length=1000)]


class Nothing(Part):
    """No field at all."""


class Retirement(Part):
    """Why; providers and agents can read it."""

    reason: Reason = ""


class Yank(Retirement):
    """Why, and what to use instead: `[provider/]name[@range]` or a tool id."""

    replaced_by: Annotated[str, Field(max_length=1000)] = ""


class Pin(Part):
    """The version that a channel points at."""

    version: Annotated[str, Field(min_length=1, max_length=256)]


class Deprecation(Yank):
    """Why, what to use instead, and when it will be retired: ISO 8601, UTC without a zone."""

    sunset_at: Annotated[str, Field(max_length=40)] | None = None


class Deregistration(Part):
    """Gives leases back: of one instance, or of all without one."""

    tool_ids: Annotated[list[ToolId], Field(min_length=1, max_length=MOST_IDS)]
    provider_instance: Instance | None = None


class Narrowing(Part):
    """What lists, searches and descriptions are narrowed to."""

    provider: Annotated[str, Field(max_length=63)] | None = None
    cost_level: Literal["LOW", "MEDIUM", "HIGH"] | None = None
    read_only: bool | None = None
    idempotent: bool | None = None
    include_deprecated: bool = False
    include_prerelease: bool = False


class Filters(Narrowing):
    """The same in a query; repeated `category` and `tag` mean any of them."""

    category: Annotated[list[Label], Field(max_length=50)] = []
    tag: Annotated[list[Label], Field(max_length=50)] = []


class ListQuery(Filters):
    """Filters and paging of the list."""

    limit: Annotated[int, Field(ge=1, le=1000)] | None = None
    cursor: Annotated[str, Field(max_length=600)] | None = None


class SearchRequest(Narrowing):
    """A request in natural language, with the filters of the list."""

    query: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
    top_k: Annotated[int, Field(ge=1, le=100)] = 10
    category: Annotated[list[Label], Field(max_length=50)] | Label = []
    tag: Annotated[list[Label], Field(max_length=50)] | Label = []
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class DescribeQuery(Filters):
    """What to describe, and how: the filters of the list, or a request in natural language."""

    format: Annotated[str, Field(max_length=40)]
    language: Annotated[str, Field(max_length=10)] = "en"
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    query: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")] | None = None
    top_k: Annotated[int, Field(ge=1, le=100)] = 20


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
