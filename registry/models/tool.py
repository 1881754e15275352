"""Tools: a name in a provider's namespace, under which versions are published."""

from django.db import models
from django.db.models import Q

from registry.models.provider import Provider


class Tool(models.Model):
    """(provider, name). Of several providers of a name, the one marked default answers the bare name."""

    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="tools")
    name = models.CharField(max_length=64, db_collation="C")
    is_default_for_name = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["name", "provider"], name="tool_once"),
            models.UniqueConstraint(
                fields=["name"], condition=Q(is_default_for_name=True), name="tool_one_default_for_name"
            ),
            models.CheckConstraint(
                condition=Q(name__regex=r"^[a-zA-Z][a-zA-Z0-9_-]{0,63}$"), name="tool_name_grammar"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"
