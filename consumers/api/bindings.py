"""What an agent declares about itself."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, shapes
from consumers.models import ToolBinding
from consumers.services import bindings
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import body_as, body_of, query_as
from registry.api.shapes import NoQuery
from registry.services.rendering import timestamp


class BindingsView(RegistryView):
    """`GET` and `PUT /api/agents/me/bindings`."""

    @extend_schema(operation_id="bindings", responses=described(answers.Bindings))
    def get(self, request: Request) -> Response:
        """Return what the agent declared, with the versions that it is bound to."""
        query_as(NoQuery, request)
        application = bindings.application_of(self.call(request).principal)
        return _answer(bindings.of(application))

    @extend_schema(
        operation_id="declare_bindings",
        request={"application/json": shapes.Declaration},
        responses=described(answers.Bindings),
        description="Makes the references all that the agent uses. A version stays, as in a lock file, while "
        "the range holds it.",
    )
    def put(self, request: Request) -> Response:
        """Declare what the agent uses."""
        call = self.call(request)
        application = bindings.application_of(call.principal)
        asked = body_as(shapes.Declaration, body_of(request))
        return _answer(
            bindings.declare(asked.refs, application=application, principal=call.principal, now=call.now)
        )


def _answer(rows: list[ToolBinding]) -> Response:
    return Response({"results": [_row(row) for row in rows]})


def _row(row: ToolBinding) -> dict[str, Any]:
    return {
        "ref": row.ref,
        "bound": row.bound.tool_id,
        "lifecycle": row.bound.lifecycle,
        "declared_at": timestamp(row.declared_at),
        "moved_at": timestamp(row.moved_at),
    }
