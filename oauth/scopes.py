"""Which scopes exist, and which an application holds.

An application holds what it was granted, nothing by default. Effective scopes of a token are its own ∩ the
present grants: a new grant needs a new token, a withdrawn one bites at once.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from oauth2_provider.scopes import BaseScopes

from oauth import audit
from oauth.models import Application, Scope, ScopeGrant, User
from toolroster.errors import DocumentInvalid, Fault
from toolroster.reference import is_scope

PLATFORM = {
    "tools:register": "Register, beat and deregister in namespaces that the application owns",
    "tools:invoke": "Call tools through the platform's router",
    "tools:admin": "Govern: approve, deprecate, retire, change what only operators may",
    "introspection": "Ask whether a token is valid, as tool services do",
}
"""The platform's own scopes; no read needs one."""
GOVERNING = frozenset({"tools:admin"})
"""What a client that acts for a person holds only while that person has the permission `oauth.govern`."""


def check_name(name: str) -> None:
    """Refuse what can be no scope.

    Raises:
        DocumentInvalid: the name breaks the grammar.
    """
    if not is_scope(name):
        fault = Fault(
            "/scopes", "pattern", "1 to 200 printable ASCII characters, no space, quote or backslash."
        )
        raise DocumentInvalid(f"{name[:100]!r} is no scope: {fault.detail}", errors=[fault])


def ensure(names: Iterable[str], *, now: datetime) -> None:
    """Put scopes that a registration names into the catalogue; those that are there stay as they are."""
    wanted = set(names)
    known = set(Scope.objects.filter(name__in=wanted).values_list("name", flat=True))
    missing = sorted(wanted - known)
    if missing:
        Scope.objects.bulk_create(
            (Scope(name=name, created_at=now) for name in missing), ignore_conflicts=True
        )


@transaction.atomic
def grant(application: Application, names: Iterable[str], *, by: str, now: datetime) -> None:
    """Let an application hold scopes; those it holds already stay.

    Raises:
        DocumentInvalid: a name breaks the grammar of scopes.
    """
    wanted = set(names)
    for name in wanted:
        check_name(name)
    new = sorted(wanted - set(held_by(application)))
    if new:
        ensure(new, now=now)
        scopes = Scope.objects.filter(name__in=new)
        ScopeGrant.objects.bulk_create(
            (ScopeGrant(application=application, scope=scope, granted_at=now) for scope in scopes),
            ignore_conflicts=True,
        )
        audit.record(audit.Kind.SCOPES_GRANTED, application.client_id, by=by, now=now, scopes=new)


@transaction.atomic
def withdraw(application: Application, names: Iterable[str], *, by: str, now: datetime) -> list[str]:
    """Take scopes from an application, from its tokens as well; return those that it held."""
    held = application.scope_grants.filter(scope__name__in=set(names))
    taken = sorted(held.values_list("scope__name", flat=True))
    held.delete()
    if taken:
        audit.record(audit.Kind.SCOPES_WITHDRAWN, application.client_id, by=by, now=now, scopes=taken)
    return taken


def held_by(application: Application) -> list[str]:
    """Return the names of the scopes that an application was granted, in their order."""
    return list(application.scope_grants.order_by("scope__name").values_list("scope__name", flat=True))


def open_to(names: Iterable[str], user: User | None) -> list[str]:
    """Keep the scopes that a client may use in the name of a person; None is the client itself."""
    wanted = list(names)
    if user is None or GOVERNING.isdisjoint(wanted) or user.has_perm("oauth.govern"):
        return wanted
    return [name for name in wanted if name not in GOVERNING]


class CatalogueScopes(BaseScopes):  # type: ignore[misc]  # DOT ships no types
    """What django-oauth-toolkit asks about scopes, answered from the catalogue."""

    def get_all_scopes(self) -> dict[str, str]:
        """Return every scope with its description, for the consent page."""
        rows = Scope.objects.values_list("name", "description")
        return {name: description or name for name, description in rows}

    def get_available_scopes(self, application: Any = None, *_: Any, **__: Any) -> list[str]:
        """Return what an application may ask for; without one, what metadata tells strangers."""
        return sorted(PLATFORM) if application is None else held_by(application)

    def get_default_scopes(self, application: Any = None, *_: Any, **__: Any) -> list[str]:
        """Return what a token holds whose request names no scope: all that was granted."""
        return [] if application is None else held_by(application)
