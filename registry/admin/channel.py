"""Channels: which versions they are pinned to, and by whom."""

from django.contrib import admin

from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolChannel


@admin.register(ToolChannel)
class ChannelAdmin(ReadOnlyAdmin):
    """Channels that were pinned; the others follow the highest version."""

    list_display = ("tool", "name", "registration", "pinned_at", "actor")
    list_select_related = ("tool__provider", "registration")
    search_fields = ("registration__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
