"""Leases: which provider instance serves what, and how old its last beat is."""

from typing import Any

from django.contrib import admin
from django.utils.safestring import SafeString

from registry.admin.badges import age, badge, lease_state, leases_now
from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolInstance


@admin.register(ToolInstance)
class InstanceAdmin(ReadOnlyAdmin):
    """Every lease, judged now."""

    list_display = ("registration", "provider_instance", "state", "last_beat", "endpoint")
    list_select_related = ("registration",)
    search_fields = ("registration__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
    fields = (
        "registration",
        "provider",
        "provider_instance",
        "endpoint",
        "state",
        "last_beat",
        "last_beat_at",
        "refusal",
    )
    readonly_fields = ("state", "last_beat")

    @admin.display(description="lease")
    def state(self, obj: Any) -> SafeString:
        """Judge the lease; a refused instance serves another contract than the published one."""
        refused = obj.refusal is not None
        return badge("REFUSED" if refused else lease_state(obj.last_beat_at, leases_now()))

    @admin.display(description="last beat")
    def last_beat(self, obj: Any) -> str:
        """Say how long ago the last beat was."""
        return age(obj.last_beat_at, leases_now().now)
