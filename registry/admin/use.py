"""Who uses what: running counts."""

from django.contrib import admin

from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolUse


@admin.register(ToolUse)
class UseAdmin(ReadOnlyAdmin):
    """Counts of resolving, describing and calling; no application means anonymous."""

    list_display = ("registration", "application", "kind", "count", "first_at", "last_at")
    list_select_related = ("registration", "application")
    list_filter = ("kind",)
    search_fields = ("registration__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
