"""Providers' namespaces: who may write in which, and how a free one is taken."""

from datetime import datetime

from oauth.principal import Principal
from registry.models import Provider, ProviderOwner
from toolroster.errors import PermissionMissing


def claim(name: str, *, principal: Principal, now: datetime) -> Provider:
    """Return the provider of this name for writing; a free name is created, and owned by the application.

    Raises:
        PermissionMissing: others own it.
    """
    provider, is_new = Provider.objects.get_or_create(name=name, defaults={"created_at": now})
    if is_new and principal.application_id is not None:
        ProviderOwner.objects.create(provider=provider, application_id=principal.application_id, since=now)
    if not Provider.objects.filter(pk=provider.pk).writable_by(principal).exists():
        raise PermissionMissing(f"The namespace {name} belongs to another application.")
    return provider
