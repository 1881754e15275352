"""Revisions of words: only ever added, so people look."""

from django.contrib import admin

from registry.admin.base import ReadOnlyAdmin
from registry.models import ToolPresentation


@admin.register(ToolPresentation)
class PresentationAdmin(ReadOnlyAdmin):
    """Every revision of every version's words."""

    list_display = ("registration", "revision", "display_name", "created_at")
    list_select_related = ("registration",)
    search_fields = ("registration__tool_id__startswith",)
    search_help_text = "The beginning of a tool id"
