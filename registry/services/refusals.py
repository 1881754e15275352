"""Remember what was refused, so that the beats of the instance that sent it answer `conflict`.

An instance whose document was refused serves another contract than the published one. Where the version is
published, its lease says so and keeps nothing alive; a version that was never published has no lease.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from oauth.principal import Principal
from registry.models import Provider, RefusedPublication, ToolInstance, ToolRegistration
from toolroster.errors import ToolrosterError

KEPT = timedelta(days=7)
"""How long a refused version is remembered for an instance that sends nothing else."""


def remember(
    tool_id: str,
    error: ToolrosterError,
    *,
    principal: Principal,
    instance: str,
    now: datetime,
    endpoint: str = "",
) -> None:
    """Keep why an instance was refused, if the namespace is the principal's."""
    provider = Provider.objects.filter(name=tool_id.partition(":")[0]).writable_by(principal).first()
    if provider is None:
        return
    published = ToolRegistration.objects.filter(tool_id=tool_id).select_related("of_tool").first()
    if published is None:
        _remember_unpublished(provider, tool_id, error, instance, now)
        return
    lease = ToolInstance.of(published, instance, now=now, endpoint=endpoint)
    lease.refusal = error.problem()
    ToolInstance.objects.bulk_create(
        [lease],
        update_conflicts=True,
        unique_fields=["registration", "provider_instance"],
        update_fields=["refusal", "endpoint"],
    )


def _remember_unpublished(
    provider: Provider, tool_id: str, error: ToolrosterError, instance: str, now: datetime
) -> None:
    RefusedPublication.objects.filter(provider=provider, refused_at__lt=now - KEPT).delete()
    refused = RefusedPublication(
        provider=provider,
        tool_id=tool_id,
        provider_instance=instance,
        problem=error.problem(),
        refused_at=now,
    )
    RefusedPublication.objects.bulk_create(
        [refused],
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
