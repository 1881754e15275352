"""The address `/`: a page for browsers, seeds/000's discovery for agents."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.vary import vary_on_headers

from registry.api import health
from registry.api.seed import DiscoveryView
from registry.web import listing, numbers, pages
from registry.web.listing import Listing, PageQuery
from toolroster.errors import ToolrosterError

_discover = DiscoveryView.as_view()


@csrf_exempt  # it changes nothing, and an agent's wrong method deserves a problem, not a form's error page
@vary_on_headers("Accept", "Authorization")
def front_page(request: HttpRequest) -> HttpResponse:
    """Answer by what the client prefers; no preference means an agent."""
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        return catalogue_page(request)
    return _discover(request)


@pages.page
def catalogue_page(request: HttpRequest) -> HttpResponse:
    """Show what this is, what runs here, and the catalogue."""
    call = pages.call_from(request)
    query, found, problem = PageQuery(), Listing(), None
    try:
        query = listing.query_of(request.GET)
        found = listing.look(query, call=call)
    except ToolrosterError as error:  # told beside the form, which keeps what was typed
        problem = error
    context = {
        "form": request.GET,
        "query": query,
        "found": found,
        "problem": problem,
        "next_url": _next_url(request, found),
        "numbers": numbers.visible_numbers(call.principal),
        "parts": health.parts(),
        "sees_nothing": call.principal.is_anonymous and call.principal.visibility_key == "nothing",
    }
    return pages.render(request, "registry/front.html", context, status=problem.status if problem else 200)


def _next_url(request: HttpRequest, found: Listing) -> str:
    if found.after is None:
        return ""
    kept = {name: request.GET[name] for name in PageQuery.model_fields if request.GET.get(name)}
    return f"?{urlencode(kept | {'after': found.after})}#catalogue"
