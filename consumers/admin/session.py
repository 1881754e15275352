"""Sessions of teams: what was said, what was called, and their exports."""

import json
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from consumers.admin import session_panels as panels
from consumers.models import AgentSession
from consumers.services import sessions
from registry.admin.base import ReadOnlyAdmin

_EXPORTS = {"json": "application/json", "md": "text/markdown; charset=utf-8"}
_LONGEST_TOLD = 80


@admin.register(AgentSession)
class SessionAdmin(ReadOnlyAdmin):
    """Every session that `run_session` wrote."""

    list_display = ("session_id", "started_at", "turns", "agent_names", "model", "failure_told")
    search_fields = ("session_id__startswith",)
    search_help_text = "The beginning of a session's id"
    ordering = ("-pk",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("session_id", "application"),
                    ("started_at", "ended_at"),
                    ("model", "turns", "call_count", "total_tokens"),
                    "topic",
                    "failure",
                    "summary",
                    "exports",
                )
            },
        ),
        ("Agents", {"fields": ("turn_order_told", "agents_told")}),
        ("Messages", {"fields": ("messages_told",)}),
        ("Calls", {"fields": ("calls_told",)}),
        ("Calls through the router", {"fields": ("routed_told",)}),
    )
    readonly_fields = (
        "exports",
        "turn_order_told",
        "agents_told",
        "messages_told",
        "calls_told",
        "routed_told",
    )

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of exports."""
        view = self.admin_site.admin_view(self.export)
        return [
            path("<int:pk>/export/<str:kind>", view, name="consumers_agentsession_export"),
            *super().get_urls(),
        ]

    def export(self, request: HttpRequest, pk: int, kind: str) -> HttpResponse:
        """Send a whole session as a file: `json` or `md`."""
        row = get_object_or_404(AgentSession, pk=pk)
        if not self.has_view_permission(request, row):
            raise PermissionDenied
        if kind not in _EXPORTS:
            raise Http404
        content = sessions.as_markdown(row) if kind == "md" else _as_text(sessions.as_json(row))
        headers = {"Content-Disposition": f'attachment; filename="session-{pk}.{kind}"'}
        return HttpResponse(content, content_type=_EXPORTS[kind], headers=headers)

    @admin.display(description="agents")
    def agent_names(self, obj: Any) -> str:
        """Say who takes part."""
        return ", ".join(obj.agents)

    @admin.display(description="failure")
    def failure_told(self, obj: Any) -> str:
        """Say why it ended early, cut."""
        text: str = obj.failure
        return text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…"

    @admin.display(description="whole session")
    def exports(self, obj: Any) -> SafeString:
        """Link to the exports."""
        links = [
            reverse("admin:consumers_agentsession_export", args=[obj.pk, kind]) for kind in ("md", "json")
        ]
        return format_html('<a href="{}">Markdown</a> · <a href="{}">JSON</a>', *links)

    @admin.display(description="order of turns")
    def turn_order_told(self, obj: Any) -> str:
        """Say who speaks after whom."""
        return " → ".join(obj.turn_order)

    @admin.display(description="agents")
    def agents_told(self, obj: Any) -> SafeString:
        """Show who took part, with what they discovered and used."""
        return panels.agents(obj)

    @admin.display(description="messages")
    def messages_told(self, obj: Any) -> SafeString:
        """Show what was said, in order."""
        return panels.messages(obj)

    @admin.display(description="calls")
    def calls_told(self, obj: Any) -> SafeString:
        """Show what was called, in order."""
        return panels.calls(obj)

    @admin.display(description="calls through the router")
    def routed_told(self, obj: Any) -> SafeString:
        """Show what the router noted under the session's id."""
        return panels.routed(obj)


def _as_text(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2)
