"""Remember what was refused, so that the beats of the instance that sent it answer `conflict`.

An instance whose document was refused serves another contract than the published one. Where the version is
published, its lease says so and keeps nothing alive; a version that was never published has no lease.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from oauth.principal import Principal
from registry.models import Provider, RefusedPublication, ToolInstance, ToolRegistration
from toolroster.errors import ToolrosterError

KEPT = timedelta(days=7)
"""How long a refused version is remembered for an instance that sends nothing else."""


def remember(
    refused: Mapping[str, ToolrosterError],
    *,
    principal: Principal,
    instance: str,
    now: datetime,
    endpoint: str = "",
) -> None:
    """Keep why an instance was refused, by tool id, as far as the namespaces are the principal's."""
    if not refused:
        return
    names = {tool_id.partition(":")[0] for tool_id in refused}
    owned = {row.name: row for row in Provider.objects.filter(name__in=names).writable_by(principal)}
    mine = sorted(tool_id for tool_id in refused if tool_id.partition(":")[0] in owned)
    rows = ToolRegistration.objects.filter(tool_id__in=mine).select_related("of_tool")
    published = {row.tool_id: row for row in rows}
    leases = [
        ToolInstance.of(published[tool_id], instance, now=now, endpoint=endpoint)
        for tool_id in mine
        if tool_id in published
    ]
    for lease in leases:
        lease.refusal = refused[lease.registration.tool_id].problem()
    ToolInstance.objects.bulk_create(
        leases,
        update_conflicts=True,
        unique_fields=["registration", "provider_instance"],
        update_fields=["refusal", "endpoint"],
    )
    _remember_unpublished(
        RefusedPublication(
            provider=owned[tool_id.partition(":")[0]],
            tool_id=tool_id,
            provider_instance=instance,
            problem=refused[tool_id].problem(),
            refused_at=now,
        )
        for tool_id in mine
        if tool_id not in published
    )


def _remember_unpublished(refused: Iterable[RefusedPublication]) -> None:
    """Keep refusals of versions that never came to be, and let those of their providers that are old go."""
    rows = list(refused)
    if not rows:
        return
    old = RefusedPublication.objects.filter(provider__in={row.provider_id for row in rows})
    old.filter(refused_at__lt=rows[0].refused_at - KEPT).delete()
    RefusedPublication.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["tool_id", "provider_instance"],
        update_fields=["problem", "refused_at"],
    )


def forget(tool_ids: Iterable[str], *, instance: str) -> None:
    """Forget refusals of versions that an instance has published now."""
    RefusedPublication.objects.filter(tool_id__in=tool_ids, provider_instance=instance).delete()


def among(tool_ids: Sequence[str], *, instance: str, providers: Sequence[int]) -> set[str]:
    """Return which of the ids an instance was refused that are not published."""
    if not tool_ids:
        return set()
    refused = RefusedPublication.objects.filter(
        tool_id__in=tool_ids, provider_instance=instance, provider__in=providers
    )
    return set(refused.values_list("tool_id", flat=True))
