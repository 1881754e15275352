"""A request with a bearer token, through Django as WSGI: what the check adds to a view that does nothing."""

import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.test.utils import override_settings
from django.urls import path
from django.utils import timezone
from oauth2_provider.models import AccessToken, set_token_value
from oauth2_provider.oauth2_backends import get_oauthlib_core

from bench import data
from bench.measure import Variant
from oauth import authentication, resources, scopes, tokens
from oauth.models import Application

UNIT = "request"

TOKEN = "t" * 40
_BODY = b"x" * 1000


def _constant(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_BODY)


def _checked(request: HttpRequest) -> HttpResponse:
    authentication.authenticate(request)
    return HttpResponse(_BODY)


def _by_dot(request: HttpRequest) -> HttpResponse:
    is_valid, _ = get_oauthlib_core().verify_request(request, scopes=[])
    return HttpResponse(_BODY, status=200 if is_valid else 401)


urlpatterns = [path("constant", _constant), path("checked", _checked), path("dot", _by_dot)]


def variants() -> list[Variant]:
    """Return a constant view, and the same behind each way to check a token."""
    store_token()
    override_settings(ROOT_URLCONF=__name__).enable()  # no other subject asks for an address
    site = _Site()
    yardstick = Variant("constant view", site.asking("/constant"))
    ways: dict[str, tuple[Callable[[], object], Callable[[], object] | None]] = {
        "remembered in the process": (site.asking("/checked"), None),
        "from Valkey": (_after(tokens.forget, site.asking("/checked")), None),
        "from the database": (_after(_forget_all, site.asking("/checked")), None),
        "django-oauth-toolkit's own": (site.asking("/dot"), None),
    }
    made = [
        Variant(name, act, prepare=prepare, against=yardstick.name) for name, (act, prepare) in ways.items()
    ]
    return [yardstick, *made]


def _after(first: Callable[[], object], act: Callable[[], object]) -> Callable[[], object]:
    """Return both as one call: forgetting costs a microsecond."""

    def both() -> object:
        first()
        return act()

    return both


def _forget_all() -> None:
    tokens.forget()
    cache.delete(f"tr:token:{tokens.key_of(TOKEN)}")


class _Site:
    """This module's views, behind the platform's middleware."""

    def __init__(self) -> None:
        self._handler = WSGIHandler()

    def asking(self, address: str) -> Callable[[], object]:
        """Return a request for an address with the token."""

        def ask() -> object:
            environ: dict[str, Any] = {
                "REQUEST_METHOD": "GET",
                "PATH_INFO": address,
                "SERVER_NAME": "localhost",
                "SERVER_PORT": "8006",
                "HTTP_HOST": "localhost:8006",
                "HTTP_AUTHORIZATION": f"Bearer {TOKEN}",
                "wsgi.input": io.BytesIO(),
                "wsgi.url_scheme": "http",
            }
            return b"".join(self._handler(environ, self._start))

        return ask

    def _start(self, status: str, headers: object, exc_info: object = None) -> Callable[[bytes], object]:
        if not status.startswith("200"):
            raise RuntimeError(status)
        return lambda _: None


def store_token() -> None:
    """Store a token of the application that owns everything, with the scopes that it needs."""
    now = timezone.now()  # noqa: TID251 - tokens end by the real clock
    owner = Application.objects.get(pk=data.principal().application_id)
    scopes.grant(owner, ["tools:register", "tools:invoke", "bench:use"], by="bench", now=now)
    row = AccessToken(
        application_id=data.principal().application_id,
        scope="tools:register tools:invoke bench:use",
        resource=[resources.ours()],
        expires=now + timedelta(hours=5),
    )
    set_token_value(row, TOKEN)
    row.save()
