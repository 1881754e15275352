"""Calls that wait for people: to look at, and to decide about."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, call_shapes
from consumers.models import Approval
from consumers.services import approvals
from oauth import audit
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import body_as, query_as
from registry.api.shapes import NoQuery
from registry.services.rendering import timestamp


class ApprovalsView(RegistryView):
    """`GET /api/approvals`."""

    @extend_schema(operation_id="approvals", responses=described(answers.Approvals))
    def get(self, request: Request) -> Response:
        """Return what waits or was decided: an agent's own calls, all of them for operators."""
        asked = query_as(call_shapes.ApprovalsQuery, request)
        principal = self.call(request).principal
        rows = approvals.listed(principal=principal, state=asked.state, most=asked.limit)
        return Response({"results": [_approval(row) for row in rows]})


class ApprovalView(RegistryView):
    """`GET /api/approvals/{id}`."""

    @extend_schema(operation_id="approval", responses=described(answers.Approval))
    def get(self, request: Request, approval: str) -> Response:
        """Return one approval."""
        query_as(NoQuery, request)
        return Response(_approval(approvals.get(approval, principal=self.call(request).principal)))


class ApproveView(RegistryView):
    """`POST /api/approvals/{id}/approve`."""

    required_scopes = ("tools:admin",)

    @extend_schema(
        operation_id="approve",
        request={"application/json": call_shapes.Decision},
        responses=described(answers.Approval),
    )
    def post(self, request: Request, approval: UUID) -> Response:
        """Approve a call: its agent may send it once."""
        return _decided(self, request, approval, approve=True)


class RefuseView(RegistryView):
    """`POST /api/approvals/{id}/reject`."""

    required_scopes = ("tools:admin",)

    @extend_schema(
        operation_id="reject_call",
        request={"application/json": call_shapes.Decision},
        responses=described(answers.Approval),
    )
    def post(self, request: Request, approval: UUID) -> Response:
        """Refuse a call."""
        return _decided(self, request, approval, approve=False)


def _decided(view: RegistryView, request: Request, approval: UUID, *, approve: bool) -> Response:
    call = view.call(request)
    sent = {} if request.stream is None else request.data
    row = approvals.decide(
        approval,
        approve=approve,
        by=audit.principal(call.principal),
        now=call.now,
        reason=body_as(call_shapes.Decision, sent).reason,
        decider=call.principal.application_id,
    )
    return Response(_approval(row))


def _approval(row: Approval) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "state": row.state,
        "tool_id": row.registration.tool_id,
        "client_id": row.application.client_id if row.application else None,
        "params": row.params,
        "session_id": row.session_id,
        "asked_at": timestamp(row.asked_at),
        "expires_at": timestamp(row.expires_at),
        "decided_at": timestamp(row.decided_at),
        "decided_by": row.decided_by or None,
        "reason": row.reason or None,
        "used_at": timestamp(row.used_at),
    }
