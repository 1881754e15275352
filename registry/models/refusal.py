"""Versions that were refused before they existed."""

from django.db import models

from registry.models.provider import Provider


class RefusedPublication(models.Model):
    """Why a provider instance may not publish a version: the problem details of its last attempt.

    A refusal of a version that is published stands at the instance's lease instead.
    """

    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="refused_publications")
    tool_id = models.CharField(max_length=400, db_collation="C")
    provider_instance = models.CharField(max_length=200)
    problem = models.JSONField()
    refused_at = models.DateTimeField()

    class Meta:
        verbose_name = "refused publication"
        constraints = [
            models.UniqueConstraint(fields=["tool_id", "provider_instance"], name="publication_refused_once")
        ]

    def __str__(self) -> str:
        return f"{self.tool_id} of {self.provider_instance}"
