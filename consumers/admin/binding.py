"""Bindings and inboxes."""

from typing import Any

from django.contrib import admin

from consumers.models import InboxMark, ToolBinding
from registry.admin.badges import badge
from registry.admin.base import ReadOnlyAdmin


@admin.register(ToolBinding)
class BindingAdmin(ReadOnlyAdmin):
    """Which agent is on which version, in which range."""

    list_display = ("application", "tool", "range_said", "bound", "state", "declared_at", "moved_at")
    list_select_related = ("application", "tool__provider", "bound")
    search_fields = ("bound__tool_id__startswith", "application__name__startswith")
    search_help_text = "The beginning of a tool id or of an agent's name"
    fields = ("application", "tool", "range_said", "bound", "state", "declared_at", "moved_at")
    readonly_fields = ("range_said", "state")

    @admin.display(description="range")
    def range_said(self, obj: Any) -> str:
        """Say the range; none is the latest release."""
        return obj.range or "latest"

    @admin.display(description="lifecycle")
    def state(self, obj: Any) -> str:
        """Say whether the version is on its way out."""
        return badge(obj.bound.lifecycle)


@admin.register(InboxMark)
class InboxMarkAdmin(ReadOnlyAdmin):
    """How far agents have read."""

    list_display = ("application", "event_id", "acknowledged_at")
    list_select_related = ("application",)
