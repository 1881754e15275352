"""What happened: for everyone, and for one agent."""

from dataclasses import replace
from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpResponse, QueryDict
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import answers, shapes
from consumers.services import bindings, inbox
from consumers.services.inbox import Events, Place
from oauth import authentication
from oauth.principal import Principal
from registry.api.answers import described
from registry.api.call import HotView, RegistryView
from registry.api.parsing import body_as, body_of, query_text_as
from registry.api.wire import Reply, Sent, as_http, rendered, renderer_for, sent_of
from registry.models import ToolEvent
from registry.services.rendering import timestamp

_PARAMETERS = [
    OpenApiParameter("after", str, description="`next` of the answer before."),
    OpenApiParameter("limit", int, description="1 to 1000, 100 by default."),
    OpenApiParameter("wait", int, description="Seconds to wait for the first event, at most 30."),
]


class EventsView(HotView):
    """`GET /api/events`."""

    @extend_schema(operation_id="events", parameters=_PARAMETERS, responses=described(answers.Events))
    def get(self, request: Request) -> HttpResponse:
        """Return what happened to the tools that the caller may see."""
        return as_http(everyone(sent_of(request)))


class InboxView(HotView):
    """`GET /api/agents/me/events`."""

    @extend_schema(
        operation_id="inbox",
        parameters=_PARAMETERS,
        responses=described(answers.Events),
        description="What concerns the agent: migrations, and what happened to versions that it is bound to. "
        "Without `after` it begins behind what was acknowledged.",
    )
    def get(self, request: Request) -> HttpResponse:
        """Return the agent's inbox."""
        return as_http(mine(sent_of(request)))


def everyone(sent: Sent) -> Reply:
    """`GET /api/events`."""
    asked, principal = _asked(sent)
    after = Place.of(asked.after) if asked.after else Place()
    return _reply(inbox.everyone(principal=principal, after=after, limit=asked.limit), sent)


def mine(sent: Sent) -> Reply:
    """`GET /api/agents/me/events`."""
    asked, principal = _asked(sent)
    application = bindings.application_of(principal)
    after = Place.of(asked.after) if asked.after else None
    return _reply(inbox.of(application, principal=principal, after=after, limit=asked.limit), sent)


def again(sent: Sent, reply: Reply) -> tuple[float, Sent]:
    """Return how many seconds a client waits for an answer that holds anything, and what to ask then.

    0 where it holds something. Else what comes behind its `next`: what was looked through is not again.
    """
    if reply.status != HTTPStatus.OK or not reply.body.startswith(b'{"results":[]'):
        return 0.0, sent
    wait = query_text_as(shapes.EventQuery, sent.query).wait
    query = QueryDict(sent.query, mutable=True)
    query["after"] = orjson.loads(reply.body)["next"]
    return float(wait), replace(sent, query=query.urlencode())


def _asked(sent: Sent) -> tuple[shapes.EventQuery, Principal]:
    principal = authentication.principal_of_header(sent.authorization)
    return query_text_as(shapes.EventQuery, sent.query), principal


def _reply(found: Events, sent: Sent) -> Reply:
    return rendered(_answer(found), renderer_for(sent.accept))


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
