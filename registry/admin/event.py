"""The outbox: what happened, the newest first."""

from typing import Any

from django.contrib import admin

from registry.admin import panels
from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolEvent


@admin.register(ToolEvent)
class EventAdmin(ReadOnlyAdmin):
    """Every event; a trigger in the database refuses changes as well."""

    list_display = ("occurred_at", "kind", "tool_id", "facts")
    list_filter = ("kind",)
    search_fields = ("tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    ordering = ("-pk",)

    @admin.display(description="facts")
    def facts(self, obj: Any) -> str:
        """Return what the event says beside its kind."""
        return panels.facts(obj)
