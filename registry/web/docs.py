"""The API's documentation, rendered here: no script, nothing from other servers."""

import json

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from registry.web import operations, pages


@pages.page
def docs_page(request: HttpRequest) -> HttpResponse:
    """Show every call with its parameters, shapes and a command line."""
    base_url = pages.base_url(request)
    context = {
        "operations": [(one, one.curl(base_url)) for one in operations.operations()],
        "shapes": operations.shapes(),
    }
    return pages.render(request, "registry/docs.html", context)


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI description, to everybody."""
    text = json.dumps(operations.schema(), ensure_ascii=False, default=str)
    return HttpResponse(text, content_type="application/json")
