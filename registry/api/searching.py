"""Search by meaning and words."""

from typing import Any

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry import conf
from registry.api import answers, shapes
from registry.api.answers import described
from registry.api.call import RegistryView
from registry.api.filters import filters_of
from registry.api.parsing import body_as, body_of
from registry.search import finding
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
        visible = catalogue.available(filters_of(sent), principal=call.principal, cutoff=call.seen.cutoff)
        space = spaces.in_use(conf.wanted_embedding())
        found = finding.find(sent.query, visible=visible, space=space, top_k=sent.top_k)
        results = [
            {
                "tool": call.render(row),
                "similarity": None if hit.similarity is None else round(hit.similarity, 4),
                "score": round(hit.score, 4),
                "why": hit.why,
            }
            for row, hit in found.hits
        ]
        if sent.max_tokens is not None:
            results = _within(results, sent.max_tokens)
        return Response({"results": results, "nothing_fits": found.nothing_fits})


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
