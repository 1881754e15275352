"""The address `/`: a page for browsers, seeds/000's discovery for agents."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from registry.api.seed import DiscoveryView

_discover = DiscoveryView.as_view()


@require_safe
def front_page(request: HttpRequest) -> HttpResponse:
    """Answer by what the client prefers; no preference means an agent."""
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        return HttpResponse("page")
    return _discover(request)
