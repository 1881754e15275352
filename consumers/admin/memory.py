"""What agents remember: read-only."""

from typing import Any

from django.contrib import admin

from consumers.models import AgentMemory
from registry.admin.base import ReadOnlyAdmin

_LONGEST_TOLD = 120


@admin.register(AgentMemory)
class MemoryAdmin(ReadOnlyAdmin):
    """Every turn that is remembered; no application is nobody in particular."""

    list_display = ("session_id", "agent_id", "turn_id", "message_told", "application", "stored_at")
    list_select_related = ("application",)
    search_fields = ("session_id__startswith",)
    search_help_text = "The beginning of a session's id"
    ordering = ("-pk",)

    @admin.display(description="message")
    def message_told(self, obj: Any) -> str:
        """Say how it begins."""
        text: str = obj.message
        return text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…"
