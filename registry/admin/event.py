"""The outbox: what happened, the newest first."""

from typing import Any

from django.contrib import admin

from registry.admin import panels
from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolEvent


@admin.register(ToolEvent)
class EventAdmin(ReadOnlyAdmin):
    """Every event; a trigger in the database refuses changes as well."""

    list_display = ("at", "kind", "tool_id", "facts")
    list_filter = ("kind",)
    search_fields = ("tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    ordering = ("-pk",)

    @admin.display(description="at (UTC)")
    def at(self, obj: Any) -> str:
        """Return the time to the second: in a world of 45 and 90 seconds minutes tell nothing."""
        return f"{obj.occurred_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="facts")
    def facts(self, obj: Any) -> str:
        """Return what the event says beside its kind."""
        return panels.facts(obj)
