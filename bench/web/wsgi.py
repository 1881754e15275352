"""Django with the yardsticks of `bench.web.urls`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.web.settings")

application = get_wsgi_application()
