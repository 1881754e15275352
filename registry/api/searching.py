"""Search by meaning and words."""

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from registry.api import answers, hot, shapes
from registry.api.answers import described
from registry.api.call import HotView
from registry.api.wire import as_http, sent_of


class SearchView(HotView):
    """`POST /api/tools/search`."""

    @extend_schema(
        operation_id="search",
        request={"application/json": shapes.SearchRequest},
        responses=described(answers.SearchAnswer),
    )
    def post(self, request: Request) -> HttpResponse:
        """Return the tools that fit a request, best first."""
        return as_http(hot.search(sent_of(request)))
