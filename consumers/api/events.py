"""What happened: for everyone, and for one agent."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, shapes
from consumers.services import bindings, inbox
from consumers.services.inbox import Events, Place
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.parsing import body_as, body_of, query_as
from registry.models import ToolEvent
from registry.services.rendering import timestamp

_PARAMETERS = [
    OpenApiParameter("after", str, description="`next` of the answer before."),
    OpenApiParameter("limit", int, description="1 to 1000, 100 by default."),
]


class EventsView(RegistryView):
    """`GET /api/events`."""

    @extend_schema(operation_id="events", parameters=_PARAMETERS, responses=described(answers.Events))
    def get(self, request: Request) -> Response:
        """Return what happened to the tools that the caller may see."""
        asked = query_as(shapes.EventQuery, request)
        principal = self.call(request).principal
        after = Place.of(asked.after) if asked.after else Place()
        return Response(_answer(inbox.everyone(principal=principal, after=after, limit=asked.limit)))


class InboxView(RegistryView):
    """`GET /api/agents/me/events`."""

    @extend_schema(
        operation_id="inbox",
        parameters=_PARAMETERS,
        responses=described(answers.Events),
        description="What concerns the agent: migrations, and what happened to versions that it is bound to. "
        "Without `after` it begins behind what was acknowledged.",
    )
    def get(self, request: Request) -> Response:
        """Return the agent's inbox."""
        asked = query_as(shapes.EventQuery, request)
        principal = self.call(request).principal
        application = bindings.application_of(principal)
        after = Place.of(asked.after) if asked.after else None
        found = inbox.of(application, principal=principal, after=after, limit=asked.limit)
        return Response(_answer(found))


class AcknowledgeView(RegistryView):
    """`POST /api/agents/me/events/ack`."""

    @extend_schema(
        operation_id="acknowledge",
        request={"application/json": shapes.Acknowledgement},
        responses=described(answers.Events),
        description="Notes that everything before a place was read; answers what is left.",
    )
    def post(self, request: Request) -> Response:
        """Acknowledge, and return what is left."""
        call = self.call(request)
        application = bindings.application_of(call.principal)
        place = Place.of(body_as(shapes.Acknowledgement, body_of(request)).upto, "/upto")
        inbox.acknowledge(application, place, now=call.now)
        return Response(_answer(inbox.of(application, principal=call.principal, after=None, limit=100)))


def _answer(found: Events) -> dict[str, Any]:
    return {"results": [_event(event) for event in found.events], "next": str(found.next)}


def _event(event: ToolEvent) -> dict[str, Any]:
    return {
        "id": event.pk,
        "kind": event.kind,
        "tool_id": event.tool_id,
        "occurred_at": timestamp(event.occurred_at),
        "data": event.data,
    }
