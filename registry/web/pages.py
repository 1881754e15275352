"""What all pages share: who looks, what every template needs, and errors as pages."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render as render_template
from django.views.decorators.http import require_safe

from oauth import authentication
from registry.api.call import Call, call_of
from registry.api.problems import problem_of
from toolroster import __version__
from toolroster.errors import ToolrosterError

View = Callable[..., HttpResponse]


def call_from(request: HttpRequest) -> Call:
    """Return the call of a page: the token's principal, anonymous without one, as in the API.

    Who is logged in to the admin sees here what everybody sees.

    Raises:
        Unauthenticated: the token that was sent is not valid.
    """
    return call_of(authentication.authenticate(request))


def base_url(request: HttpRequest) -> str:
    """Return the address under which the visitor reached us, for command lines."""
    return request.build_absolute_uri("/").rstrip("/")


def render(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render a page."""
    everywhere = {"version": __version__, "base_url": base_url(request)}
    return render_template(request, template, {**everywhere, **context}, status=status)


def page(view: View) -> View:
    """Make a view a page: GET and HEAD only, and what goes wrong is told in HTML."""

    @functools.wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except (ToolrosterError, OperationalError, InterfaceError) as error:
            return problem_page(request, error)

    return require_safe(shown)


def problem_page(request: HttpRequest, error: Exception) -> HttpResponse:
    """Tell an error to a person, in the words that an agent gets."""
    problem = problem_of(error)
    return render(request, "registry/problem.html", {"problem": problem}, status=problem["status"])
