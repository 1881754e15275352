"""Search by meaning and words."""

from typing import Any

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry import conf
from registry.api import answers, hot, shapes
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.filters import filters_of
from registry.api.parsing import body_as, body_of
from registry.search import finding, tokens
from registry.search.finding import Result
from registry.services import catalogue, spaces

_BYTES_PER_TOKEN = 4
"""A rough rule for JSON in the vocabularies of today's models; the budget is a bound, not a bill."""


class SearchView(RegistryView):
    """`POST /api/tools/search`."""

    @extend_schema(
        operation_id="search",
        request={"application/json": shapes.SearchRequest},
        responses=described(answers.SearchAnswer),
    )
    def post(self, request: Request) -> Response:
        """Return the tools that fit a request, best first."""
        sent = body_as(shapes.SearchRequest, body_of(request))
        call = self.call(request)
        filters = filters_of(sent)
        visible = catalogue.available(filters, principal=call.principal, cutoff=call.seen.cutoff)
        found = finding.find(
            sent.query,
            visible=visible,
            spaces=spaces.all_in_use(conf.wanted_embeddings()),
            top_k=sent.top_k,
            shown=hot.shown(filters, call),
        )
        results = [
            {
                "tool": call.render(one.registration),
                "similarity": None if one.hit.similarity is None else round(one.hit.similarity, 4),
                "score": round(one.hit.score, 4),
                "why": why(sent.query, one),
                "near_duplicates": list(one.near_duplicates),
            }
            for one in found.results
        ]
        if sent.max_tokens is not None:
            results = _within(results, sent.max_tokens)
        return Response({"results": results, "nothing_fits": found.nothing_fits})


def why(query: str, result: Result) -> str:
    """Say what counted: similarity, words, and the example request of the tool that shares the most words."""
    examples = result.registration.document["examples"]
    wanted = tokens.query_terms(query).keys()
    shared = [len(wanted & tokens.query_terms(example).keys()) for example in examples]
    if not any(shared):
        return result.hit.why
    example = examples[shared.index(max(shared))]
    return f'{result.hit.why}; like the example "{example}"'


def _within(results: list[dict[str, Any]], max_tokens: int) -> list[dict[str, Any]]:
    """Return the best results that fit into the budget together, the best one in any case."""
    kept: list[dict[str, Any]] = []
    used = 0
    for result in results:
        used += len(orjson.dumps(result)) // _BYTES_PER_TOKEN
        if kept and used > max_tokens:
            break
        kept.append(result)
    return kept
