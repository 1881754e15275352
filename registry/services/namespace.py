"""Providers' namespaces: who may write in which, how a free one is taken, and how one changes hands."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from oauth import audit
from oauth.models import Application
from oauth.principal import Principal
from registry.models import Provider, ProviderOwner
from toolroster.errors import DocumentInvalid, Fault, PermissionMissing
from toolroster.reference import is_provider


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
    provider = _locked(name, now=now)
    if provider.owners.exists():
        raise PermissionMissing(f"The namespace {name} belongs to another application.")
    if principal.application_id is not None:
        application = Application.objects.get(pk=principal.application_id)
        add_owner(provider, application, by=audit.client(application), now=now)
    return provider


@transaction.atomic
def own(application: Application, names: Iterable[str], *, by: str, now: datetime) -> None:
    """Make an application an owner of namespaces, beside those who own them already.

    Raises:
        DocumentInvalid: a name breaks the grammar of providers.
    """
    for name in sorted(set(map(str.lower, names))):
        if not is_provider(name):
            fault = Fault("/provider", "pattern", "At most 63 of a-z, 0-9, '.', '_' and '-'.")
            raise DocumentInvalid(f"{name[:100]!r} is no provider name.", errors=[fault])
        add_owner(_locked(name, now=now), application, by=by, now=now)


@transaction.atomic
def transfer(name: str, to: Application, *, by: str, now: datetime) -> list[Application]:
    """Make an application the only owner of a namespace; return those who owned it beside or before it."""
    provider = _locked(name, now=now)
    add_owner(provider, to, by=by, now=now)
    others = provider.owners.exclude(application=to).select_related("application").order_by("since", "pk")
    before = [other.application for other in others]
    for other in others:
        remove_owner(other, by=by, now=now)
    return before


def add_owner(provider: Provider, application: Application, *, by: str, now: datetime) -> None:
    """Let an application write in a namespace; who owns it already is no news."""
    _, is_new = ProviderOwner.objects.get_or_create(
        provider=provider, application=application, defaults={"since": now}
    )
    if is_new:
        _record(audit.Kind.OWNER_ADDED, provider, application, by=by, now=now)


def remove_owner(owner: ProviderOwner, *, by: str, now: datetime) -> None:
    """Take a namespace from an application. The last one leaves it free, where claims are open."""
    _record(audit.Kind.OWNER_REMOVED, owner.provider, owner.application, by=by, now=now)
    owner.delete()


def _record(
    kind: audit.Kind, provider: Provider, application: Application, *, by: str, now: datetime
) -> None:
    named = {"client_id": application.client_id, "client": application.name}
    audit.record(kind, provider.name, by=by, now=now, **named)


def _locked(name: str, *, now: datetime) -> Provider:
    """Return a provider, new if need be, whose owners nobody else changes meanwhile."""
    Provider.objects.get_or_create(name=name, defaults={"created_at": now})
    return Provider.objects.select_for_update().get(name=name)
