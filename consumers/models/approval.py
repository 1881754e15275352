"""Calls that somebody has to approve."""

import uuid

from django.conf import settings
from django.db import models

from registry.models import ToolRegistration


class Approval(models.Model):
    """One call that waits for a decision: PENDING → APPROVED → USED, or PENDING → REJECTED.

    EXPIRED is one that was asked for again after its end. It is for exactly one call: one agent or person,
    one version, one set of arguments (`params_hash`), once, before `expires_at`. `params` are what the call
    would send, without what is sensitive: people decide by them.
    """

    class State(models.TextChoices):
        PENDING = "PENDING"
        APPROVED = "APPROVED"
        REJECTED = "REJECTED"
        USED = "USED"
        EXPIRED = "EXPIRED"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.CASCADE,
        null=True,
        related_name="approvals",
    )
    user_id = models.BigIntegerField(null=True, blank=True)
    """The person for whom the application acts."""
    registration = models.ForeignKey(ToolRegistration, on_delete=models.PROTECT, related_name="approvals")
    params = models.JSONField()
    params_hash = models.CharField(max_length=64)
    session_id = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    asked_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=300, blank=True)
    reason = models.CharField(max_length=1000, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)
    used_by_call = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "approval"
        constraints = [
            models.UniqueConstraint(
                fields=["application", "user_id", "registration", "params_hash"],
                condition=models.Q(state__in=["PENDING", "APPROVED"]),
                nulls_distinct=False,
                name="approval_once",
            )
        ]
        indexes = [models.Index(fields=["state", "-asked_at"], name="approval_state")]

    def __str__(self) -> str:
        return f"{self.registration_id}: {self.state}"
