"""The page of one registration: what it does, how it is called, its versions."""

from typing import Any
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from registry.api.call import Call
from registry.services import resolution
from registry.web import pages
from registry.web.schemas import rows_of
from toolroster import strict_json
from toolroster.errors import ToolNotFound

_MOST_VERSIONS = 50
_MOST_PARAMETERS = 200


@pages.page
def tool_page(request: HttpRequest, tool_id: str) -> HttpResponse:
    """Show a registration, alive or not."""
    strict_json.check(tool_id)
    call = pages.call_from(request)
    row = resolution.get(tool_id, principal=call.principal)
    tool = call.render(row)
    versions = _versions(tool, call)
    parameters = list(rows_of(tool["input_schema"]))
    context = {
        "tool": tool,
        "parameters": parameters[:_MOST_PARAMETERS],
        "further_parameters": max(0, len(parameters) - _MOST_PARAMETERS),
        "versions": versions[:_MOST_VERSIONS],
        "further_versions": max(0, len(versions) - _MOST_VERSIONS),
        "reference": quote(f"{tool['provider']}/{tool['name']}@{tool['version']}", safe="/@"),
    }
    return pages.render(request, "registry/tool.html", context)


def _versions(tool: dict[str, Any], call: Call) -> list[dict[str, Any]]:
    rows = resolution.versions(tool["provider"], tool["name"], principal=call.principal)
    return [call.render(row) for row in rows]


@pages.page
def catalogue_address(request: HttpRequest) -> HttpResponse:
    """Lead to the catalogue, which is on the front page."""
    return redirect(f"{reverse('front')}#catalogue")


@pages.page
def unknown_address(request: HttpRequest, rest: str) -> HttpResponse:
    """Tell a person that there is no such page."""
    return pages.problem_page(request, ToolNotFound("There is no page at this address in the catalogue."))
