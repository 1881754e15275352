"""The numbers of the front page: what its reader may see, counted up to a limit."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from oauth.principal import Principal
from registry.models import Provider, Tool, ToolRegistration

MOST_COUNTED = 10_000
"""Counting stops here, so that the page costs the same for a million registrations; `/api/stats` is exact."""


def visible_numbers(principal: Principal) -> dict[str, str]:
    """Return how many tools, registrations and providers there are, `10000+` where counting stopped."""
    seen = ToolRegistration.objects.visible_to(principal)
    tools = Tool.objects.filter(Exists(seen.filter(of_tool=OuterRef("pk"))))
    providers = Provider.objects.filter(Exists(seen.filter(of_tool__provider=OuterRef("pk"))))
    return {"tools": _capped(tools), "registrations": _capped(seen), "providers": _capped(providers)}


def _capped(rows: "QuerySet[Any]") -> str:
    number = rows.order_by().values("pk")[:MOST_COUNTED].count()
    return f"{number}{'+' if number == MOST_COUNTED else ''}"
