"""What requests look like."""

from typing import Annotated

from pydantic import Field, SkipValidation

from consumers.services import bindings
from toolroster.definition import Part, ToolDefinition

Ref = Annotated[str, Field(min_length=1, max_length=1200)]
Version = Annotated[str, Field(min_length=1, max_length=256)]


class Declaration(Part):
    """All that an agent uses: references `[provider/]name[@range]`, or tool ids."""

    refs: Annotated[list[Ref], Field(max_length=bindings.MOST)]


class Impact(Part):
    """A document that is not published yet, and the switches of the comparison."""

    document: SkipValidation[ToolDefinition]
    policy: dict[str, bool | str] = {}


class Migration(Part):
    """From which version to which; `agents` are client ids or names, none of them means all."""

    old: Version
    new: Version
    dry_run: bool = False
    agents: Annotated[list[Annotated[str, Field(max_length=255)]], Field(max_length=10_000)] = []
    percent: Annotated[int, Field(ge=1, le=100)] = 100
    accept_review: bool = False


class EventQuery(Part):
    """Which events: behind a place that was handed out, so many at the most; `wait` seconds for the first."""

    after: Annotated[str, Field(max_length=40)] | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    wait: Annotated[int, Field(ge=0, le=30)] = 0


class Acknowledgement(Part):
    """`upto` is the `next` of an answer: everything before it was read."""

    upto: Annotated[str, Field(max_length=40)]
