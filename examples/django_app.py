"""A provider inside a Django project, here in one file.

`python examples/django_app.py runserver 9000 --noreload`
"""

import sys
from typing import Any

from django.conf import settings
from django.core.management import execute_from_command_line
from django.core.wsgi import get_wsgi_application
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from toolroster import Provider, agent_tool

settings.configure(
    DEBUG=True,
    ROOT_URLCONF=__name__,
    SECRET_KEY="an example",
    WSGI_APPLICATION=f"{__name__}.application",
)
urlpatterns: list[Any] = []


@agent_tool(categories=["money"], read_only=True, examples=["How much is 20 euro in dollars?"])
def convert(amount: float, rate: float) -> float:
    """Convert an amount of money by a rate. Use it when the rate is known; it looks none up."""
    return round(amount * rate, 2)


provider = Provider("http://localhost:8006", convert, name="money-team", url="http://localhost:9000/agent")
application = DispatcherMiddleware(get_wsgi_application(), {"/agent": provider.app().wsgi})

if __name__ == "__main__":
    provider.start()
    execute_from_command_line(sys.argv)
