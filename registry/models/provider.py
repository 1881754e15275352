"""Providers, the namespaces of the registry, and who owns them."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from oauth.principal import Principal

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager


class ProviderQuerySet(models.QuerySet["Provider"]):
    """Filters over providers."""

    def writable_by(self, principal: Principal) -> "ProviderQuerySet":
        """Keep the namespaces that the principal owns; without a token, those that nobody owns.

        Who has no token may write in development only (ANONYMOUS_SCOPES).
        """
        if principal.is_anonymous:
            return self.filter(owners__isnull=True)
        return self.filter(owners__application=principal.application_id).distinct()


class Provider(models.Model):
    """A namespace such as `payments-team`. Only its owners register, beat or deregister in it."""

    name = models.CharField(max_length=63, unique=True, db_collation="C")
    created_at = models.DateTimeField()
    may_be_private = models.BooleanField(
        "may be in private networks",
        default=False,
        help_text="Whether calls may go to private addresses for this provider: for operators to decide.",
    )
    audiences = ArrayField(
        models.CharField(max_length=2000),
        default=list,
        blank=True,
        help_text="Audiences that its tools may name for their tokens beside the address that is called.",
    )

    objects = ProviderQuerySet.as_manager()

    if TYPE_CHECKING:
        owners: RelatedManager["ProviderOwner"]

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(name__regex=r"^[a-z0-9][a-z0-9._-]{0,62}$"), name="provider_name_grammar"
            )
        ]

    def __str__(self) -> str:
        return self.name


class ProviderOwner(models.Model):
    """One application that may write in one provider's namespace."""

    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="owners")
    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.CASCADE,
        related_name="provider_ownerships",
    )
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["provider", "application"], name="provider_owner_once")
        ]

    def __str__(self) -> str:
        return f"{self.application} owns {self.provider}"
