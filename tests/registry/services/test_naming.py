"""Marking the provider that answers a bare name: one at a time, and told in an event."""

import pytest

from registry.models import Tool, ToolEvent
from registry.services import naming
from tests.factories import at, make_registration
from toolroster.errors import Conflict

pytestmark = pytest.mark.django_db


def _tool(provider: str) -> Tool:
    return make_registration(name="ship", provider=provider).of_tool


def _told() -> list[dict]:
    return list(
        ToolEvent.objects.filter(kind="tool:name:default").order_by("pk").values_list("data", flat=True)
    )


def test_marking_and_unmarking_are_told_once_each():
    tool = _tool("alpha")

    for is_default in (True, True, False):
        naming.mark_default(tool, is_default=is_default, now=at(0))

    assert _told() == [
        {"tool": "alpha/ship", "is_default": True},
        {"tool": "alpha/ship", "is_default": False},
    ]


def test_a_second_default_is_refused():
    naming.mark_default(_tool("alpha"), is_default=True, now=at(0))

    with pytest.raises(Conflict, match="alpha/ship is the default for this name"):
        naming.mark_default(_tool("beta"), is_default=True, now=at(1))
