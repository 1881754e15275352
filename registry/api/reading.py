"""List, detail, versions, resolve, stats: what agents read."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api import answers, shapes
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import query_as
from registry.api.rendering import CamelJSONRenderer
from registry.models import ToolUse
from registry.services import catalogue, resolution, statistics
from registry.services.catalogue import Filters
from toolroster.errors import (
    DocumentInvalid,
    Fault,
    NoMatchingVersion,
    RangeInvalid,
    ReferenceInvalid,
    ToolrosterError,
)
from toolroster.reference import Reference, is_provider, is_tool_name, make_reference, parse_reference

_PAGE = 100
_LONGEST_PAGE = 1000
_FILTERS = [
    OpenApiParameter("category", str, many=True, description="Any of these categories."),
    OpenApiParameter("tag", str, many=True, description="Any of these tags."),
    OpenApiParameter("provider", str),
    OpenApiParameter("cost_level", str, enum=["LOW", "MEDIUM", "HIGH"]),
    OpenApiParameter("read_only", bool),
    OpenApiParameter("idempotent", bool),
    OpenApiParameter("include_deprecated", bool),
    OpenApiParameter("include_prerelease", bool),
]


def filters_of(sent: shapes.ListQuery | shapes.SearchRequest) -> Filters:
    """Return the filters of a list query or a search."""
    return Filters(
        categories=_labels(sent.category),
        tags=_labels(sent.tag),
        provider=sent.provider,
        cost_level=sent.cost_level,
        read_only=sent.read_only,
        idempotent=sent.idempotent,
        include_deprecated=sent.include_deprecated,
        include_prerelease=sent.include_prerelease,
    )


def _labels(sent: list[str] | str) -> list[str]:
    return [sent] if isinstance(sent, str) else sent


class AvailableView(RegistryView):
    """`GET /api/tools/available`."""

    @extend_schema(
        operation_id="available",
        parameters=[*_FILTERS, OpenApiParameter("limit", int), OpenApiParameter("cursor", str)],
        responses=described(answers.ListAnswer),
    )
    def get(self, request: Request) -> Response:
        """Return a page of what can be used now."""
        sent = query_as(shapes.ListQuery, request)
        call = self.call(request)
        found = catalogue.available(filters_of(sent), principal=call.principal, cutoff=call.seen.cutoff)
        is_java = isinstance(request.accepted_renderer, CamelJSONRenderer)  # it knows no pages
        limit = sent.limit or (_LONGEST_PAGE if is_java else _PAGE)
        page = catalogue.page(found, limit=limit, cursor=sent.cursor)
        rows = [call.render(row) for row in page.registrations]
        return Response({"results": rows, "next": page.next}, headers=_link(request, page.next))


def _link(request: Request, cursor: str | None) -> dict[str, str]:
    """Return the link to the next page (RFC 8288): a bare array has no place for it."""
    if cursor is None:
        return {}
    query = request.query_params.copy()
    query["cursor"] = cursor
    return {"Link": f'<{request.path}?{query.urlencode()}>; rel="next"'}


class ResolveView(RegistryView):
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
    def get(self, request: Request) -> Response:
        """Return the one registration that is meant."""
        sent = query_as(shapes.ResolveQuery, request)
        call = self.call(request)
        asking = call.asking(include_prerelease=sent.include_prerelease)
        try:
            row = resolution.resolve(_reference(sent), asking=asking)
        except ToolrosterError as error:
            if error.status < 500:  # else nothing that was sent is to blame
                error.errors = error.errors or (Fault(_blamed(error, sent), error.code, error.detail),)
            raise
        call.note(ToolUse.Kind.RESOLVE, row)
        return Response(call.render(row))


def _reference(sent: shapes.ResolveQuery) -> Reference:
    if (sent.ref is None) == (sent.name is None):
        fault = Fault("/ref", "missing", "Send `ref`, or `name` with `version` and `provider`.")
        raise DocumentInvalid("Send either `ref` or `name`.", errors=[fault])
    if sent.name is not None:
        return make_reference(name=sent.name, provider=sent.provider, version_range=sent.version)
    if sent.version is not None or sent.provider is not None:
        fault = Fault("/ref", "contradiction", "`ref` holds provider and range already.")
        raise DocumentInvalid("`ref` goes without `version` and `provider`.", errors=[fault])
    return parse_reference(sent.ref or "")


def _blamed(error: ToolrosterError, sent: shapes.ResolveQuery) -> str:
    """Return the pointer of the query parameter that an error is about."""
    if sent.name is None:
        return "/ref"
    if not is_tool_name(sent.name):
        return "/name"
    if sent.provider is not None and not is_provider(sent.provider.lower()):
        return "/provider"
    is_range = isinstance(error, RangeInvalid | NoMatchingVersion | ReferenceInvalid)
    return "/version" if is_range else "/name"


class DetailView(RegistryView):
    """`GET /api/tools/{tool_id}`."""

    @extend_schema(operation_id="get_tool", responses=described(answers.Registration))
    def get(self, request: Request, tool_id: str) -> Response:
        """Return one registration, alive or not."""
        query_as(shapes.NoQuery, request)
        call = self.call(request)
        row = resolution.get(tool_id, principal=call.principal)
        call.note(ToolUse.Kind.DESCRIBE, row)
        return Response(call.render(row))


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
