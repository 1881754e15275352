"""Calls, and their sums by the hour."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from consumers.models import ToolCall, ToolCallUsage
from oauth.models import Application
from registry.admin.badges import badge
from registry.admin.base import ReadOnlyAdmin


class CallerAdmin(ReadOnlyAdmin):
    """Rows that keep who called by client id; people know clients by their names."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        named = Application.objects.filter(pk=OuterRef("application_id")).values("name")
        annotated: QuerySet[Any] = rows.annotate(agent_name=Subquery(named[:1]))
        return annotated

    @admin.display(description="agent")
    def caller(self, obj: Any) -> str:
        """Say who called: the name of now, else the client id."""
        return str(obj.agent_name or obj.agent or "anonymous")


@admin.register(ToolCall)
class ToolCallAdmin(CallerAdmin):
    """What was called by whom, and what came of it, the latest first."""

    list_display = ("called_at", "caller", "asked", "state", "served", "error_code", "took", "attempts")
    list_filter = ("outcome",)
    search_fields = ("tool_id__startswith", "agent__startswith", "session_id__startswith", "call_id__exact")
    search_help_text = "The beginning of a tool id, a client id or a session id, or a whole call id"
    ordering = ("-called_at", "call_id")
    readonly_fields = fields = (
        "call_id",
        "called_at",
        "caller",
        "agent",
        "session_id",
        "ref",
        "tool_id_asked",
        "tool_id",
        "why",
        "instance",
        "state",
        "error_code",
        "attempts",
        "took",
        "request_bytes",
        "response_bytes",
        "params_hash",
        "params",
    )

    @admin.display
    def asked(self, obj: Any) -> str:
        """Say what was asked for."""
        return str(obj.ref)

    @admin.display
    def served(self, obj: Any) -> SafeString | str:
        """Say which version served; another one than was asked for stands out."""
        if obj.tool_id and obj.tool_id != obj.tool_id_asked:
            return format_html('<strong title="{}">{}</strong>', obj.why, obj.tool_id)
        return str(obj.tool_id) or "none"

    @admin.display(description="outcome")
    def state(self, obj: Any) -> str:
        """Say how it ended."""
        return badge(obj.outcome)

    @admin.display(description="duration")
    def took(self, obj: Any) -> str:
        """Say how long the whole call took."""
        return f"{obj.duration_ms:.1f} ms"


@admin.register(ToolCallUsage)
class ToolCallUsageAdmin(CallerAdmin):
    """How often what was called by whom in which hour, the latest first."""

    list_display = ("hour", "tool_id", "caller", "state", "calls", "mean", "longest")
    list_filter = ("outcome",)
    search_fields = ("tool_id__startswith", "agent__startswith")
    search_help_text = "The beginning of a tool id or of a client id"
    ordering = ("-hour", "-calls", "pk")
    fields = (
        "hour",
        "tool_id",
        "agent",
        "state",
        "calls",
        "mean",
        "longest",
        "request_bytes",
        "response_bytes",
    )
    readonly_fields = fields

    @admin.display(description="outcome")
    def state(self, obj: Any) -> str:
        """Say how the calls ended."""
        return badge(obj.outcome)

    @admin.display(description="mean duration")
    def mean(self, obj: Any) -> str:
        """Say how long a call took; what agents report says nothing of it."""
        return f"{obj.duration_ms / obj.calls:.1f} ms" if obj.duration_ms else "none"

    @admin.display(description="longest")
    def longest(self, obj: Any) -> str:
        """Say how long the longest call took."""
        return f"{obj.longest_ms:.1f} ms" if obj.longest_ms else "none"
