"""How far agents have read their inboxes."""

from django.conf import settings
from django.db import models


class InboxMark(models.Model):
    """The last event that an agent acknowledged: a place in the outbox, see `ToolEvent`."""

    application = models.OneToOneField(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE, related_name="inbox_mark"
    )
    transaction_id = models.BigIntegerField()
    event_id = models.BigIntegerField()
    acknowledged_at = models.DateTimeField()

    class Meta:
        verbose_name = "inbox mark"

    def __str__(self) -> str:
        return f"{self.application_id} has read up to {self.event_id}"
