"""The tables of what consumes tools; a module each."""

from consumers.models.binding import ToolBinding
from consumers.models.inbox import InboxMark
from consumers.models.migration import MigrationMove, VersionMigration

__all__ = ["InboxMark", "MigrationMove", "ToolBinding", "VersionMigration"]
