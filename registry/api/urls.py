"""The addresses of the REST interface; no trailing slash."""

from django.urls import path

from registry.api import (
    channels,
    comparing,
    deciding,
    describing,
    health,
    reading,
    registering,
    searching,
    seed,
)

urlpatterns = [
    path("api/tools/register", registering.RegisterView.as_view()),
    path("api/tools/heartbeat", registering.HeartbeatView.as_view()),
    path("api/tools/deregister", registering.DeregisterView.as_view()),
    path("api/tools/compatibility", comparing.CompatibilityView.as_view()),
    path("api/tools/available", reading.AvailableView.as_view()),
    path("api/tools/search", searching.SearchView.as_view()),
    path("api/tools/describe", describing.DescribeView.as_view()),
    path("api/tools/resolve", reading.ResolveView.as_view()),
    path("api/tools/<str:provider>/<str:name>/versions", reading.VersionsView.as_view()),
    path("api/tools/<str:provider>/<str:name>/channels", channels.ChannelsView.as_view()),
    path("api/tools/<str:provider>/<str:name>/channels/<str:channel>", channels.ChannelView.as_view()),
    path("api/tools/<str:tool_id>/deprecate", deciding.DeprecateView.as_view()),
    path("api/tools/<str:tool_id>/yank", deciding.YankView.as_view()),
    path("api/tools/<str:tool_id>/restore", deciding.RestoreView.as_view()),
    path("api/tools/<str:tool_id>/retire", deciding.RetireView.as_view()),
    path("api/tools/<str:tool_id>", reading.DetailView.as_view()),
    path("api/stats", reading.StatsView.as_view()),
    path("tools/register", seed.SeedRegisterView.as_view()),
    path("tools/<str:name>", seed.SeedToolView.as_view()),
    path("stats", seed.SeedStatsView.as_view()),
    path("health", health.HealthView.as_view()),
    path("health/live", health.LiveView.as_view()),
]
