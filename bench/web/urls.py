"""A view that does nothing, and a list as most registries make it."""

from django.http import HttpRequest, HttpResponse
from django.urls import path
from oauth2_provider.oauth2_backends import get_oauthlib_core

from bench import naive
from bench.web.yardsticks import BODY

_PAGE = 100


def _constant(request: HttpRequest) -> HttpResponse:
    return HttpResponse(BODY, content_type="application/json")


def _naive(request: HttpRequest) -> HttpResponse:
    get_oauthlib_core().verify_request(request, scopes=[])
    return HttpResponse(naive.listing(_PAGE), content_type="application/json")


urlpatterns = [path("constant", _constant), path("naive", _naive)]
