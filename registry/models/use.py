"""Who uses which registration: resolved, described, invoked."""

from django.conf import settings
from django.db import models


class ToolUse(models.Model):
    """A running count per registration, application and kind of use; no application means anonymous."""

    class Kind(models.TextChoices):
        RESOLVE = "RESOLVE"
        DESCRIBE = "DESCRIBE"
        INVOKE = "INVOKE"

    registration = models.ForeignKey(
        "registry.ToolRegistration", on_delete=models.CASCADE, related_name="uses"
    )
    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
    )
    kind = models.CharField(max_length=8, choices=Kind)
    count = models.PositiveBigIntegerField()
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        verbose_name = "use"
        constraints = [
            models.UniqueConstraint(
                fields=["registration", "application", "kind"], nulls_distinct=False, name="use_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.count})"
