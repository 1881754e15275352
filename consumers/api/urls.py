"""The addresses of consumers; no trailing slash."""

from django.urls import path

from consumers.api import (
    approvals,
    bindings,
    consuming,
    events,
    invoking,
    memory,
    sessions,
    tool_tokens,
    usage,
)

_TOOL = "api/tools/<str:provider>/<str:name>"

urlpatterns = [
    path("api/agents/me/bindings", bindings.BindingsView.as_view()),
    path("api/agents/me/events", events.InboxView.as_view()),
    path("api/agents/me/events/ack", events.AcknowledgeView.as_view()),
    path("api/memory/store_memory", memory.StoreMemoryView.as_view()),
    path("api/memory/get_compressed_memory", memory.CompressedMemoryView.as_view()),
    path("api/sessions", sessions.SessionsView.as_view()),
    path("api/sessions/<str:session_id>", sessions.SessionView.as_view()),
    path("api/sessions/<str:session_id>/transcript", sessions.TranscriptView.as_view()),
    path("api/events", events.EventsView.as_view()),
    path("api/tools/invoke", invoking.InvokeView.as_view()),
    path("call/<path:tool>", invoking.CallView.as_view()),
    path("api/tools/<str:tool_id>/token", tool_tokens.ToolTokenView.as_view()),
    path("api/approvals", approvals.ApprovalsView.as_view()),
    path("api/approvals/<str:approval>", approvals.ApprovalView.as_view()),
    path("api/approvals/<uuid:approval>/approve", approvals.ApproveView.as_view()),
    path("api/approvals/<uuid:approval>/reject", approvals.RefuseView.as_view()),
    path("api/stats/usage", usage.UsageView.as_view()),
    path("api/stats/unused", usage.UnusedView.as_view()),
    path("api/agents/me/usage", usage.ReportView.as_view()),
    path(f"{_TOOL}/consumers", consuming.ConsumersView.as_view()),
    path(f"{_TOOL}/migrations", consuming.MigrationsView.as_view()),
    path(f"{_TOOL}/migrations/<int:migration>/rollback", consuming.RollbackView.as_view()),
]
