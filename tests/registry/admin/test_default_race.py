"""Two people mark two providers as the default of one name, at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client

from oauth.models import User
from registry.models import Tool
from tests.factories import make_registration

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_of_two_defaults_at_once_wins_and_the_other_is_told() -> None:
    for provider in ("mail-team", "post", "courier", "pigeon"):
        make_registration(provider=provider)
    boss = User.objects.create_superuser("boss")
    tools = list(Tool.objects.order_by("pk"))
    together = Barrier(len(tools))

    def mark(tool: Tool) -> int:
        client = Client()
        client.force_login(boss)
        together.wait(timeout=10)
        answer = client.post(f"/admin/registry/tool/{tool.pk}/change/", {"is_default_for_name": "on"})
        connection.close()
        return answer.status_code

    with ThreadPoolExecutor(len(tools)) as pool:
        statuses = sorted(pool.map(mark, tools))

    assert statuses == [200, 200, 200, 302]  # a form with its error; a redirect after saving
    assert Tool.objects.filter(is_default_for_name=True).count() == 1
