"""Refused publications: whose next version waits for a higher number."""

from typing import Any

from django.contrib import admin

from registry.admin.base import ReadOnlyAdmin
from registry.models import RefusedPublication


@admin.register(RefusedPublication)
class RefusedPublicationAdmin(ReadOnlyAdmin):
    """What was refused before it existed, and why."""

    list_display = ("tool_id", "provider_instance", "why", "refused_at")
    search_fields = ("tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    fields = ("provider", "tool_id", "provider_instance", "why", "refused_at", "problem")
    readonly_fields = ("why",)

    @admin.display(description="reason")
    def why(self, obj: Any) -> str:
        """Say what the provider was told."""
        return str(obj.problem["detail"])
