"""What the registry knows of its own watch over leases."""

from django.db import models
from django.db.models import Q


class LeaseWatch(models.Model):
    """One row, the same for all processes.

    `grace_until` is set after an outage of the registry; `held_since` while so many leases of so many
    providers would expire at once that the registry suspects itself (Eureka's self-preservation).
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    swept_at = models.DateTimeField(null=True)
    grace_until = models.DateTimeField(null=True)
    held_since = models.DateTimeField(null=True)

    class Meta:
        verbose_name = verbose_name_plural = "lease watch"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="lease_watch_is_one_row")]

    def __str__(self) -> str:
        return "held" if self.held_since else "watching"
