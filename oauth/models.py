"""Users and OAuth applications, ours from the first migration on."""

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from oauth2_provider.models import AbstractApplication


class User(AbstractUser):
    """A person who governs the catalogue or owns clients."""


class Application(AbstractApplication):  # type: ignore[django-manager-missing]  # DOT's manager is untyped
    """An OAuth client: an agent, a provider, a tool service or an operator.

    `roles` are held against the `allowed_roles` of a tool's policy.
    """

    roles = ArrayField(models.CharField(max_length=100), default=list, blank=True)

    class Meta(AbstractApplication.Meta):
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=~models.Q(name=""), name="application_name"),
        ]
