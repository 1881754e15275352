"""List, detail, versions, resolve, stats: what agents read."""

from dataclasses import asdict
from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import answers, hot, shapes
from registry.api.answers import described
from registry.api.call import HotView, RegistryView
from registry.api.parsing import query_as
from registry.api.wire import as_http, sent_of
from registry.models import ToolUse
from registry.services import rendering, resolution, statistics

FILTER_PARAMETERS = [
    OpenApiParameter("category", str, many=True, description="Any of these categories."),
    OpenApiParameter("tag", str, many=True, description="Any of these tags."),
    OpenApiParameter("provider", str),
    OpenApiParameter("cost_level", str, enum=["LOW", "MEDIUM", "HIGH"]),
    OpenApiParameter("read_only", bool),
    OpenApiParameter("idempotent", bool),
    OpenApiParameter("include_deprecated", bool),
    OpenApiParameter("include_prerelease", bool),
]
"""The filters of list and description, for the schema of the API."""


class AvailableView(HotView):
    """`GET /api/tools/available`."""

    @extend_schema(
        operation_id="available",
        parameters=[*FILTER_PARAMETERS, OpenApiParameter("limit", int), OpenApiParameter("cursor", str)],
        responses=described(answers.ListAnswer),
    )
    def get(self, request: Request) -> HttpResponse:
        """Return a page of what can be used now."""
        return as_http(hot.available(sent_of(request)))


class ResolveView(HotView):
    """`GET /api/tools/resolve`."""

    @extend_schema(
        operation_id="resolve",
        parameters=[
            OpenApiParameter("ref", str, description="`[provider/]name[@range]`"),
            OpenApiParameter("name", str),
            OpenApiParameter("version", str, description="An npm range, a version or `latest`."),
            OpenApiParameter("provider", str),
            OpenApiParameter("include_prerelease", bool),
        ],
        responses=described(answers.Registration),
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the one registration that is meant."""
        return as_http(hot.resolve(sent_of(request)))


class DetailView(RegistryView):
    """`GET /api/tools/{tool_id}`."""

    @extend_schema(operation_id="get_tool", responses=described(answers.Registration))
    def get(self, request: Request, tool_id: str) -> Response:
        """Return one registration, alive or not."""
        query_as(shapes.NoQuery, request)
        call = self.call(request)
        row = resolution.get(tool_id, principal=call.principal)
        call.note(ToolUse.Kind.DESCRIBE, row)
        return Response(call.render(row), headers=rendering.farewell_headers(row))


class VersionsView(RegistryView):
    """`GET /api/tools/{provider}/{name}/versions`."""

    @extend_schema(operation_id="versions", responses=described(answers.VersionsAnswer))
    def get(self, request: Request, provider: str, name: str) -> Response:
        """Return the versions of a tool, the highest first."""
        query_as(shapes.NoQuery, request)
        call = self.call(request)
        rows = resolution.versions(provider, name, principal=call.principal)
        return Response({"results": [call.render(row) for row in rows]})


class StatsView(RegistryView):
    """`GET /api/stats`."""

    @extend_schema(operation_id="stats", responses=described(answers.StatsAnswer))
    def get(self, request: Request) -> Response:
        """Return counts of what the caller may see."""
        query_as(shapes.NoQuery, request)
        numbers: dict[str, Any] = asdict(statistics.inventory(principal=self.call(request).principal))
        return Response(numbers)
