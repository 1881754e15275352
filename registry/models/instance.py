"""Leases: which provider instance serves which registration, and when it last beat."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django.db import models

from registry.models.provider import Provider

if TYPE_CHECKING:
    from registry.models.registration import ToolRegistration

ENDED = datetime(1970, 1, 1, tzinfo=UTC)
"""The beat of a lease that was given back: never after any cutoff."""


class ToolInstanceQuerySet(models.QuerySet["ToolInstance"]):
    """Filters over leases."""

    def serving(self) -> "ToolInstanceQuerySet":
        """Keep the instances that serve the published contract."""
        return self.filter(refusal__isnull=True)

    def fresh(self, cutoff: datetime) -> "ToolInstanceQuerySet":
        """Keep the serving instances whose last beat is after the cutoff."""
        return self.serving().filter(last_beat_at__gt=cutoff)


class ToolInstance(models.Model):
    """The lease of one provider instance on one registration, renewed by each beat.

    The row outlives the lease: it says that the registration has been monitored.
    `last_beat_at` has no index, on purpose: beats stay HOT updates in a half-filled page (PERFORMANCE §2).
    `refusal` holds the problem details of the instance's last registration when that was refused; such an
    instance serves another contract than the published one, so its beats count for nothing.
    """

    registration = models.ForeignKey(
        "registry.ToolRegistration", on_delete=models.CASCADE, related_name="instances", db_index=False
    )
    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="+", db_index=False)
    provider_instance = models.CharField(max_length=200)
    endpoint = models.TextField(blank=True)
    last_beat_at = models.DateTimeField()
    refusal = models.JSONField(null=True, blank=True)

    objects = ToolInstanceQuerySet.as_manager()

    class Meta:
        verbose_name = "instance"
        constraints = [
            models.UniqueConstraint(fields=["registration", "provider_instance"], name="instance_lease_once")
        ]

    def __str__(self) -> str:
        return f"{self.provider_instance} serves {self.registration_id}"

    @classmethod
    def of(
        cls, registration: "ToolRegistration", instance: str, *, now: datetime, endpoint: str = ""
    ) -> "ToolInstance":
        """Return an unsaved lease; `registration.of_tool` is loaded."""
        return cls(
            registration=registration,
            provider_id=registration.of_tool.provider_id,
            provider_instance=instance,
            endpoint=endpoint,
            last_beat_at=now,
        )
