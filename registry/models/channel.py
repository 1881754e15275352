"""Channels of a tool: names that an owner points at versions."""

from django.db import models

from registry.models.registration import ToolRegistration
from registry.models.tool import Tool
from toolroster.channels import CHANNEL_PATTERN


class ToolChannel(models.Model):
    """A channel that was pinned. `latest`, `stable` and `next` follow the highest version without a row."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="channels")
    name = models.CharField(max_length=40, db_collation="C")
    registration = models.ForeignKey(ToolRegistration, on_delete=models.CASCADE, related_name="channels")
    pinned_at = models.DateTimeField()
    actor = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name = "channel"
        constraints = [
            models.UniqueConstraint(fields=["tool", "name"], name="channel_once"),
            models.CheckConstraint(
                condition=models.Q(name__regex=CHANNEL_PATTERN), name="channel_name_grammar"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool}@{self.name}"
