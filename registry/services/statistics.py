"""Counts of what a principal may see; nothing hidden is counted."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Func, QuerySet, TextField

from oauth.principal import Principal
from registry.models import ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.services import catalogue


@dataclass(frozen=True, slots=True)
class Inventory:
    """The numbers of `GET /api/stats`."""

    tools: int
    registrations: int
    providers: int
    by_health: dict[str, int]
    by_lifecycle: dict[str, int]
    by_category: dict[str, int]


def inventory(*, principal: Principal) -> Inventory:
    """Count what the principal may see, alive or not."""
    visible = ToolRegistration.objects.visible_to(principal)
    totals = visible.aggregate(
        tools=Count("of_tool", distinct=True),
        registrations=Count("pk"),
        providers=Count("of_tool__provider", distinct=True),
    )
    return Inventory(
        **totals,
        by_health=_by("health", visible),
        by_lifecycle=_by("lifecycle", visible),
        by_category=_by_category(visible),
    )


def _by(field: str, visible: ToolRegistrationQuerySet) -> dict[str, int]:
    counted: QuerySet[Any, Any] = visible.order_by(field).values_list(field).annotate(Count("pk"))
    return dict(counted)


def _by_category(visible: ToolRegistrationQuerySet) -> dict[str, int]:
    category = Func(F("categories"), function="unnest", output_field=TextField())
    rows = visible.annotate(category=category).values_list("category")
    return dict(rows.annotate(Count("pk", distinct=True)).order_by("category"))


def seed_inventory(*, principal: Principal, cutoff: datetime) -> dict[str, Any]:
    """Return the four keys of seeds/000: they count tools, each by its newest live stable version."""
    rows = catalogue.newest_per_tool(principal=principal, cutoff=cutoff)
    usage = Counter(scope for row in rows.values() for scope in set(row.scopes))
    return {
        "total_tools": len(rows),
        "tools_by_name": list(rows),
        "scope_usage": dict(sorted(usage.items())),
        "unique_scopes": len(usage),
    }
