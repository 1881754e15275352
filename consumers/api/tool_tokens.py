"""Tokens for agents that call tools themselves: one for each tool's own audience (RFC 8707)."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers
from consumers.services.calling import PlatformCaller
from oauth import tool_tokens
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import check_nothing_sent
from registry.services import resolution, routes
from toolroster.errors import DocumentInvalid, Fault, PermissionMissing
from toolroster.routing.candidates import Candidate
from toolroster.routing.policy import check_access


class ToolTokenView(RegistryView):
    """`POST /api/tools/{tool_id}/token`."""

    required_scopes = ("tools:invoke",)

    @extend_schema(
        operation_id="tool_token",
        request=None,
        responses=described(answers.ToolToken),
        description="Gives a token for the tool's audience, with those of the tool's scopes that the agent "
        "holds: whoever calls a tool shows it this one, never the token for the registry.",
    )
    def post(self, request: Request, tool_id: str) -> Response:
        """Return a token for one tool."""
        check_nothing_sent(request)
        call = self.call(request)
        row = resolution.get(tool_id, principal=call.principal)
        audience = routes.audience_of(row)
        if not row.scopes or not audience:
            fault = Fault("", "no_token", f"{row.tool_id} asks for no token.")
            raise DocumentInvalid(fault.detail, errors=[fault])
        if row.document["policy"]["requires_approval"]:
            raise PermissionMissing(f"{row.tool_id} requires approval: call it by POST /api/tools/invoke.")
        check_access(Candidate.of(row.document), PlatformCaller.of(call.principal))
        wanted: dict[str, Any] = {"audience": audience, "scopes": row.scopes, "now": call.now}
        given = tool_tokens.known(call.principal, **wanted) or tool_tokens.give(call.principal, **wanted)
        answer = {
            "access_token": given.token,
            "token_type": "Bearer",
            "expires_in": int(given.expires_at - call.now.timestamp()),
            "scope": " ".join(given.scopes),
            "resource": given.audience,
        }
        return Response(answer, headers={"Cache-Control": "no-store"})
