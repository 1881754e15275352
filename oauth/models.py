"""Users and OAuth applications, ours from the first migration on."""

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from oauth2_provider.models import AbstractApplication


class User(AbstractUser):  # type: ignore[django-manager-missing]  # of DOT's relation to it
    """A person who governs the catalogue or owns clients."""


class Application(AbstractApplication):  # type: ignore[misc]  # DOT ships no types
    """An OAuth client: an agent, a provider, a tool service or an operator.

    `roles` are held against the `allowed_roles` of a tool's policy.
    """

    roles = ArrayField(models.CharField(max_length=100), default=list, blank=True)

    class Meta(AbstractApplication.Meta):  # type: ignore[misc]  # DOT ships no types
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=~models.Q(name=""), name="application_name"),
        ]
