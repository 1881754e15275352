"""How the platform sees for agents that do not ask themselves."""

from collections import defaultdict
from collections.abc import Iterable

from oauth.models import Application, ScopeGrant
from oauth.principal import Principal
from registry.models import ToolRegistration


def of(applications: Iterable[Application]) -> dict[int, Principal]:
    """Return the principal of each client, with everything that it was granted: one query for all."""
    wanted = {one.pk: one for one in applications}
    held: dict[int, set[str]] = defaultdict(set)
    grants = ScopeGrant.objects.filter(application__in=wanted)
    for pk, scope in grants.values_list("application", "scope__name"):
        held[pk].add(scope)
    return {
        pk: Principal(pk, None, frozenset(held[pk]), frozenset(one.roles), client_id=one.client_id)
        for pk, one in wanted.items()
    }


def who_see(row: ToolRegistration, applications: Iterable[Application]) -> set[int]:
    """Return which clients may see a version; clients that see the same are asked about once."""
    seen: dict[str, bool] = {}
    found = set()
    for pk, principal in of(applications).items():
        key = principal.visibility_key
        if key not in seen:
            seen[key] = ToolRegistration.objects.visible_to(principal).filter(pk=row.pk).exists()
        if seen[key]:
            found.add(pk)
    return found
