"""Describe tools to a model, in the formats of `toolroster.prompts`."""

from dataclasses import asdict

import orjson
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from oauth import authentication
from registry.api import answers, hot, search_answer, shapes
from registry.api.answers import described
from registry.api.call import Call, HotView
from registry.api.filters import filters_of
from registry.api.hot import Question
from registry.api.parsing import query_text_as
from registry.api.reading import FILTER_PARAMETERS
from registry.api.wire import Reply, Sent, as_http, kept_reply, renderer_for, sent_of
from registry.models import ToolRegistration
from registry.services import catalogue
from registry.services.kept import Made
from toolroster import prompts

_DESCRIPTION = (
    "One version of each tool, as a text for a prompt (seed_000; seed_004 in zh, de, en) or as the list that"
    " a vendor's API takes (openai, openai_responses, anthropic, gemini, mcp)."
)
_MOST_TOOLS = 1000
"""Of a list without a request, one version each; more than a model reads."""


class DescribeView(HotView):
    """`GET /api/tools/describe`."""

    @extend_schema(
        operation_id="describe_tools",
        parameters=[
            OpenApiParameter("format", str, required=True, enum=prompts.FORMATS),
            OpenApiParameter("language", str, enum=prompts.LANGUAGES),
            OpenApiParameter("max_tokens", int),
            OpenApiParameter("query", str),
            OpenApiParameter("top_k", int),
            *FILTER_PARAMETERS,
        ],
        responses=described(answers.DescribeAnswer),
        description=_DESCRIPTION,
    )
    def get(self, request: Request) -> HttpResponse:
        """Return what to tell a model of the tools that fit."""
        return as_http(describe(sent_of(request)))


def describe(sent: Sent) -> Reply:
    """Answer a request, kept like a list."""
    renderer_for(sent.accept)
    principal = authentication.principal_of_header(sent.authorization)
    asked = query_text_as(shapes.DescribeQuery, sent.query)
    question = Question.of(f"described?{asked.model_dump_json()}", asked.category)
    found = hot.kept_answer(question, principal, lambda call: _made(asked, call), is_shared=False)
    return kept_reply(found, sent, media_type="application/json")  # names in it are others' words


def _made(asked: shapes.DescribeQuery, call: Call) -> Made:
    rows = _rows(asked, call)
    told = prompts.describe(
        [call.render(row) for row in rows],
        format=asked.format,
        language=asked.language,
        max_tokens=asked.max_tokens,
    )
    notes = [asdict(note) for note in told.notes]
    if len(rows) == _MOST_TOOLS:
        reason = (
            f"Only the first {_MOST_TOOLS} tools were looked at; narrow by query, category, tag or provider."
        )
        notes.append({"tool_id": "", "pointer": "", "reason": reason})
    content = {"format": asked.format, "content": told.content, "names": told.names}
    body = orjson.dumps({**content, "left_out": told.left_out, "notes": notes})
    until = hot.expiry_of(rows, call)
    return Made(body, until if asked.query is None else min(until, call.now.timestamp() + hot.FOUND_SECONDS))


def _rows(asked: shapes.DescribeQuery, call: Call) -> list[ToolRegistration]:
    """Return the registrations to describe, the best first where a request was sent."""
    if asked.query is not None:
        search = shapes.SearchRequest.model_validate(
            asked.model_dump(exclude={"format", "language", "max_tokens"})
        )
        found = search_answer.find(search, call, hot.shown(filters_of(asked), call))
        return [one.registration for one in found.results]
    available = catalogue.available(filters_of(asked), principal=call.principal, cutoff=call.seen.cutoff)
    return list(available.one_per_tool().with_last_beat()[:_MOST_TOOLS])
