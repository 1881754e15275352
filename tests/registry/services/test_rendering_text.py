"""The text of a registration is the JSON of its object, byte by byte."""

import orjson
import pytest

from registry.models import ToolRegistration
from registry.services import leases, rendering
from tests.factories import NOW, POLICY, make_registration
from tests.oauth.client import CALLBACK

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"instance": "host-1"},
        {"description": 'Quotes " and \u4e2d\u6587 and \U0001f4a9 and \\ and \u2028.'},
        {
            "parameters": [{"name": "size", "type": "number", "default": 1.5}],
            "output_schema": {"type": "object"},
        },
        {"endpoint": {"url": CALLBACK}, "examples": ["a", "b"], "scopes": ["x"]},
    ],
)
def test_text_and_object_are_the_same(changes):
    make_registration(**changes)
    row = ToolRegistration.objects.with_last_beat().get()
    seen = leases.view(now=NOW, policy=POLICY)

    text = rendering.registration_text(row, seen=seen)

    assert text == orjson.dumps(rendering.registration(row, seen=seen))
