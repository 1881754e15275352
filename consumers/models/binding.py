"""Bindings: which version of a tool an agent is on, and in which range it may move."""

from django.conf import settings
from django.db import models

from registry.models import Tool, ToolRegistration


class ToolBindingQuerySet(models.QuerySet["ToolBinding"]):
    """Filters over bindings."""

    def whole(self) -> "ToolBindingQuerySet":
        """Read what bindings are shown with."""
        return self.select_related("application", "tool__provider", "bound")


class ToolBinding(models.Model):
    """What an agent declared: one tool, a range of it, and the version that it is bound to.

    The version is chosen when the range is declared and stays, like that of a lock file, until a migration or
    another declaration moves it. `range` is what a reference has behind its `@`, "" for the latest release.
    """

    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE, related_name="tool_bindings"
    )
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="bindings")
    range = models.CharField(max_length=1200, blank=True)
    bound = models.ForeignKey(ToolRegistration, on_delete=models.PROTECT, related_name="bindings")
    declared_at = models.DateTimeField()
    moved_at = models.DateTimeField(null=True, blank=True)

    objects = ToolBindingQuerySet.as_manager()

    class Meta:
        verbose_name = "binding"
        constraints = [models.UniqueConstraint(fields=["application", "tool"], name="binding_once")]

    def __str__(self) -> str:
        return f"{self.application_id} is bound to {self.bound_id}"

    @property
    def ref(self) -> str:
        """The reference as it was declared, with its provider."""
        return f"{self.tool}@{self.range}" if self.range else str(self.tool)
