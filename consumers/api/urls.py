"""The addresses of consumers; no trailing slash."""

from django.urls import path

from consumers.api import bindings, consuming, events

_TOOL = "api/tools/<str:provider>/<str:name>"

urlpatterns = [
    path("api/agents/me/bindings", bindings.BindingsView.as_view()),
    path("api/agents/me/events", events.InboxView.as_view()),
    path("api/agents/me/events/ack", events.AcknowledgeView.as_view()),
    path("api/events", events.EventsView.as_view()),
    path(f"{_TOOL}/consumers", consuming.ConsumersView.as_view()),
    path(f"{_TOOL}/migrations", consuming.MigrationsView.as_view()),
    path(f"{_TOOL}/migrations/<int:migration>/rollback", consuming.RollbackView.as_view()),
]
