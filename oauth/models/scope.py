"""The scope catalogue: what can be granted, and what was granted to whom."""

from django.conf import settings
from django.db import models


class Scope(models.Model):
    """One scope: the platform's own, or one that a registration names."""

    name = models.CharField(max_length=200, unique=True, db_collation="C")
    description = models.TextField(blank=True)
    is_platform = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class ScopeGrant(models.Model):
    """One application may hold one scope. Deleting the row withdraws it, from tokens that exist as well."""

    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE, related_name="scope_grants"
    )
    scope = models.ForeignKey(Scope, on_delete=models.CASCADE, related_name="grants")
    granted_at = models.DateTimeField()

    class Meta:
        verbose_name = "scope grant"
        constraints = [
            models.UniqueConstraint(fields=["application", "scope"], name="scope_granted_once"),
        ]

    def __str__(self) -> str:
        return f"{self.application} holds {self.scope}"
