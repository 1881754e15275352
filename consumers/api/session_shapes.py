"""What requests about sessions and memory look like."""

from typing import Annotated

from pydantic import Field

from toolroster.agents.memory import RECENT
from toolroster.agents.memory_client import MOST_CHARACTERS
from toolroster.definition import Part

AgentId = Annotated[str, Field(min_length=1, max_length=255)]
SessionId = Annotated[str, Field(min_length=1, max_length=200)]


class Memory(Part):
    """What an agent said in a turn of a session; the same turn again replaces it."""

    agent_id: AgentId
    turn_id: Annotated[int, Field(ge=0, le=1_000_000_000)]
    message: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    session_id: SessionId


class Remembering(Part):
    """Whose memory of which session; `recent` messages come as they were said."""

    agent_id: AgentId
    session_id: SessionId
    recent: Annotated[int, Field(ge=1, le=100)] = RECENT


class SessionsQuery(Part):
    """Paging of the list of sessions."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 100
    cursor: Annotated[str, Field(max_length=40)] | None = None
