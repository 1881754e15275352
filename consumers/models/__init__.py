"""The tables of what consumes tools; a module each."""

from consumers.models.approval import Approval
from consumers.models.binding import ToolBinding
from consumers.models.call import CallOutcome, ToolCall, ToolCallUsage
from consumers.models.inbox import InboxMark
from consumers.models.migration import MigrationMove, VersionMigration
from consumers.models.repetition import RepeatableCall

__all__ = [
    "Approval",
    "CallOutcome",
    "InboxMark",
    "MigrationMove",
    "RepeatableCall",
    "ToolBinding",
    "ToolCall",
    "ToolCallUsage",
    "VersionMigration",
]
