"""What a person may do with clients of their own: make them, within what they may hand on.

Who may make clients has Django's permission `oauth.add_application`. Scopes and namespaces are handed on from
the person's own clients; `oauth.add_scopegrant` allows any scope, `registry.add_providerowner` any namespace.
Only who governs (`oauth.govern`) makes operators.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from oauth import audit
from oauth.models import Application, Scope, ScopeGrant, User
from registry.models import Provider
from registry.services import clients
from registry.services.clients import Kind, NewClient
from toolroster.errors import Fault, PermissionMissing


@dataclass(frozen=True, slots=True)
class Offer:
    """What a person may give to a new client; `any_scope` and `any_provider` lift the lists."""

    kinds: tuple[Kind, ...]
    scopes: frozenset[str]
    providers: frozenset[str]
    any_scope: bool
    any_provider: bool


def owned_by(person: User) -> "QuerySet[Application]":
    """Return the clients that a person answers for, in the order of their names."""
    owned: QuerySet[Application] = Application.objects.filter(user=person)
    return owned.prefetch_related("scope_grants__scope", "provider_ownerships__provider").order_by(
        "name", "pk"
    )


def offer_to(person: User) -> Offer:
    """Return what a person may give to a new client; without kinds they may make none."""
    kinds = () if not person.has_perm("oauth.add_application") else tuple(Kind)
    if not person.has_perm("oauth.govern"):
        kinds = tuple(kind for kind in kinds if kind is not Kind.OPERATOR)
    held = ScopeGrant.objects.filter(application__user=person, scope__is_platform=False)
    owned = Provider.objects.filter(owners__application__user=person)
    return Offer(
        kinds=kinds,
        scopes=frozenset(held.values_list("scope__name", flat=True)),
        providers=frozenset(owned.values_list("name", flat=True)),
        any_scope=person.has_perm("oauth.add_scopegrant"),
        any_provider=person.has_perm("registry.add_providerowner"),
    )


def create(wanted: NewClient, *, person: User, now: datetime) -> tuple[Application, str]:
    """Make a client that a person answers for; return it with its secret.

    Raises:
        PermissionMissing: they may not make it, or not give it this; `errors` names each.
        Conflict: the name is taken.
        DocumentInvalid: a namespace or a scope breaks its grammar.
    """
    offer = offer_to(person)
    faults = [
        *_faults("/kind", [wanted.kind], offer.kinds, is_open=False),
        *_faults("/scopes", wanted.scopes, offer.scopes, is_open=offer.any_scope),
        *_faults("/providers", map(str.lower, wanted.providers), offer.providers, is_open=offer.any_provider),
    ]
    if faults:
        raise PermissionMissing(faults[0].detail, errors=faults)
    return clients.create(wanted, by=audit.person(person), now=now)


def _faults(pointer: str, wanted: Iterable[str], offered: Iterable[str], *, is_open: bool) -> list[Fault]:
    missing = [] if is_open else sorted(set(wanted) - set(offered))
    detail = "{} is not yours to give; an operator can."
    return [Fault(pointer, "permission_missing", detail.format(name)) for name in missing]


def suggested_scopes(offer: Offer, *, most: int) -> list[str]:
    """Return scopes that the person may give, for a form: at most so many, in their order."""
    if not offer.any_scope:
        return sorted(offer.scopes)[:most]
    rows = Scope.objects.filter(is_platform=False).order_by("name")
    return list(rows.values_list("name", flat=True)[:most])
