"""Providers' namespaces: who may write in which, and how a free one is taken."""

from datetime import datetime

from oauth.principal import Principal
from registry.models import Provider, ProviderOwner
from toolroster.errors import PermissionMissing


def claim(name: str, *, principal: Principal, now: datetime, is_open: bool) -> Provider:
    """Return the provider of this name for writing.

    A name that nobody owns belongs to the first application that registers in it, where claims are open;
    elsewhere an operator assigns it. The row lock lets one of two first applications win.

    Raises:
        PermissionMissing: others own it, or it must be assigned first.
    """
    mine = Provider.objects.filter(name=name).writable_by(principal).first()
    if mine is not None:
        return mine
    if not is_open and not principal.is_anonymous:
        raise PermissionMissing(f"The namespace {name} is not yours; an operator assigns namespaces here.")
    Provider.objects.get_or_create(name=name, defaults={"created_at": now})
    provider = Provider.objects.select_for_update().get(name=name)
    if provider.owners.exists():
        raise PermissionMissing(f"The namespace {name} belongs to another application.")
    if principal.application_id is not None:
        ProviderOwner.objects.create(provider=provider, application_id=principal.application_id, since=now)
    return provider
