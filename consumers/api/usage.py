"""Who calls what, which tools nobody calls, and what agents report of calls that they made themselves."""

from datetime import timedelta

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, call_shapes
from consumers.services import usage
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import body_as, body_of, query_as
from registry.services.rendering import timestamp


class UsageView(RegistryView):
    """`GET /api/stats/usage`."""

    @extend_schema(
        operation_id="usage",
        responses=described(answers.Usages),
        description="Calls through the router and calls that agents report, summed by `group_by` (repeat "
        "it), most calls first. Operators see all; others their own calls, and those of tools that they own.",
    )
    def get(self, request: Request) -> Response:
        """Return sums of calls."""
        asked = query_as(call_shapes.UsageQuery, request)
        wanted = usage.Wanted(**asked.model_dump())
        return Response({"results": usage.of(wanted, principal=self.call(request).principal)})


class UnusedView(RegistryView):
    """`GET /api/stats/unused`."""

    @extend_schema(operation_id="unused", responses=described(answers.UnusedTools))
    def get(self, request: Request) -> Response:
        """Return versions that were there all the time and that nobody called."""
        asked = query_as(call_shapes.UnusedQuery, request)
        call = self.call(request)
        since = call.now - timedelta(days=asked.days)
        rows = usage.unused(principal=call.principal, since=since, most=asked.limit)
        results = [{"tool_id": row.tool_id, "registered_at": timestamp(row.registered_at)} for row in rows]
        return Response({"since": timestamp(since), "results": results})


class ReportView(RegistryView):
    """`POST /api/agents/me/usage`."""

    @extend_schema(
        operation_id="report_usage",
        request={"application/json": call_shapes.UsageReport},
        responses=described(answers.Reported),
        description="Takes the statistics of seeds/000's agent: how often it called which tool since the "
        "last report.",
    )
    def post(self, request: Request) -> Response:
        """Add calls that an agent made itself."""
        call = self.call(request)
        sent = body_as(call_shapes.UsageReport, body_of(request))
        added = usage.report(sent.usage_by_tool, principal=call.principal, now=call.now)
        return Response({"calls": added})
