"""The tables of what consumes tools; a module each."""

from consumers.models.approval import Approval
from consumers.models.binding import ToolBinding
from consumers.models.call import CallOutcome, ToolCall, ToolCallUsage
from consumers.models.inbox import InboxMark
from consumers.models.memory import AgentMemory, MemorySummary
from consumers.models.migration import MigrationMove, VersionMigration
from consumers.models.repetition import RepeatableCall
from consumers.models.session import AgentSession, SessionCall, SessionMessage

__all__ = [
    "AgentMemory",
    "AgentSession",
    "Approval",
    "CallOutcome",
    "InboxMark",
    "MemorySummary",
    "MigrationMove",
    "RepeatableCall",
    "SessionCall",
    "SessionMessage",
    "ToolBinding",
    "ToolCall",
    "ToolCallUsage",
    "VersionMigration",
]
