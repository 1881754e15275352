"""People and OAuth applications, ours from the first migration on."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from oauth2_provider.models import AbstractApplication

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts by which a program on the person's own machine is reached (RFC 8252 §7.3)."""

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager

    from oauth.models.scope import ScopeGrant


class User(AbstractUser):  # type: ignore[django-manager-missing]  # of DOT's relation to it
    """A person who governs the catalogue, owns clients, or lets clients act for them.

    A client that acts for a person governs the catalogue only if the person may: permission `govern`.
    """

    class Meta(AbstractUser.Meta):
        permissions = [("govern", "Can govern the catalogue through clients")]


class Application(AbstractApplication):  # type: ignore[misc]  # DOT ships no types
    """An OAuth client, for what its `kind` says; people's clients have none.

    `roles` are held against the `allowed_roles` of a tool's policy. What it may ask for is in its
    `scope_grants`, nothing else.
    """

    class Kind(models.TextChoices):
        AGENT = "agent"
        PROVIDER = "provider"
        TOOL_SERVICE = "tool_service"
        OPERATOR = "operator"

    kind = models.CharField(max_length=12, choices=Kind, blank=True)
    roles = ArrayField(models.CharField(max_length=100), default=list, blank=True)

    if TYPE_CHECKING:
        scope_grants: RelatedManager[ScopeGrant]

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Tell whether codes may go to an address: a registered one, by http on the person's machine."""
        address = urlsplit(uri)
        is_private = address.scheme != "http" or address.hostname in LOOPBACK
        return is_private and bool(super().redirect_uri_allowed(uri))

    class Meta(AbstractApplication.Meta):  # type: ignore[misc]  # DOT ships no types
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=~models.Q(name=""), name="application_name"),
        ]
