"""Django as a WSGI application: the admin, the pages and REST."""

import os
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")

_django = get_wsgi_application()

from config import startup  # noqa: E402 - its services need Django set up


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Serve one request; before the first one, see whether leases need a grace period."""
    startup.begin()
    return _django(environ, start_response)
