"""The words of a registration, in revisions that are only ever added."""

from django.contrib.postgres.fields import ArrayField
from django.db import models


class ToolPresentation(models.Model):
    """One revision of a registration's words; `parameter_descriptions` maps JSON pointers to text.

    The registration points at the approved revision, which is served, and at the pending one.
    """

    registration = models.ForeignKey(
        "registry.ToolRegistration", on_delete=models.CASCADE, related_name="presentations"
    )
    revision = models.PositiveIntegerField()
    display_name = models.TextField(blank=True)
    description = models.TextField(blank=True)
    returns = models.TextField(blank=True)
    examples = ArrayField(models.TextField(), default=list, blank=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    parameter_descriptions = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "presentation"
        constraints = [
            models.UniqueConstraint(fields=["registration", "revision"], name="presentation_revision_once")
        ]

    def __str__(self) -> str:
        return f"revision {self.revision}"
