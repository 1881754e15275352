"""Sessions of teams, for those whose application ran them."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from orjson import dumps
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import session_answers as answers
from consumers.api import session_shapes as shapes
from consumers.models import AgentSession
from consumers.services import sessions
from registry.api.answers import Problem, described
from registry.api.call import RegistryView
from registry.api.parsing import query_as
from registry.api.shapes import NoQuery
from registry.services.rendering import timestamp


class SessionsView(RegistryView):
    """`GET /api/sessions`."""

    @extend_schema(
        operation_id="sessions",
        parameters=[OpenApiParameter("limit", int), OpenApiParameter("cursor", str)],
        responses=described(answers.Sessions),
    )
    def get(self, request: Request) -> Response:
        """Return a page of the sessions that the caller may read, the newest first."""
        asked = query_as(shapes.SessionsQuery, request)
        page = sessions.page(principal=self.call(request).principal, limit=asked.limit, cursor=asked.cursor)
        return Response({"results": [_row(one) for one in page.sessions], "next": page.next})


class SessionView(RegistryView):
    """`GET /api/sessions/{session_id}`."""

    @extend_schema(operation_id="session", responses=described(answers.SessionExport))
    def get(self, request: Request, session_id: str) -> Response:
        """Return a whole session."""
        return Response(sessions.as_json(_session(self, request, session_id)))


class MarkdownRenderer(BaseRenderer):
    """`text/markdown`; problems stay JSON."""

    media_type = "text/markdown"
    format = "md"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the text."""
        return data.encode() if isinstance(data, str) else dumps(data)


class TranscriptView(RegistryView):
    """`GET /api/sessions/{session_id}/transcript`."""

    renderer_classes = (MarkdownRenderer,)

    @extend_schema(
        operation_id="session_transcript",
        responses={
            (200, "text/markdown"): OpenApiTypes.STR,
            **{(status, "application/problem+json"): Problem for status in ("4XX", "5XX")},
        },
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Return a session as Markdown."""
        return Response(sessions.as_markdown(_session(self, request, session_id)))


def _session(view: RegistryView, request: Request, session_id: str) -> AgentSession:
    query_as(NoQuery, request)
    try:
        return sessions.get(session_id, principal=view.call(request).principal)
    except AgentSession.DoesNotExist as error:
        raise Http404 from error


def _row(session: AgentSession) -> dict[str, Any]:
    return {
        "session_id": session.session_id,
        "topic": session.topic,
        "model": session.model,
        "agents": session.agents,
        "turns": session.turns,
        "calls": session.call_count,
        "total_tokens": session.total_tokens,
        "failure": session.failure,
        "started_at": timestamp(session.started_at),
        "ended_at": timestamp(session.ended_at),
    }
