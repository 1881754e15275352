"""OAuth clients of the platform: made with exactly the scopes, roles and namespaces they need."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from oauth2_provider.generators import generate_client_secret

from oauth import scopes
from oauth.models import Application
from registry.models import Provider, ProviderOwner
from toolroster.errors import Conflict, DocumentInvalid, Fault
from toolroster.reference import is_provider

Kind = Application.Kind

NEEDED: dict[Kind, tuple[str, ...]] = {
    Kind.AGENT: ("tools:invoke",),
    Kind.PROVIDER: ("tools:register",),
    Kind.TOOL_SERVICE: ("introspection",),
    Kind.OPERATOR: ("tools:admin", "tools:register", "tools:invoke"),
}
"""The platform scopes that a kind cannot do without; agents get the scopes of their tools besides."""


@dataclass(frozen=True, slots=True)
class NewClient:
    """What a client is to be. `providers` are the namespaces it owns."""

    name: str
    kind: Kind
    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()


@transaction.atomic
def create(client: NewClient, *, now: datetime) -> tuple[Application, str]:
    """Make a confidential client_credentials client; return it with its secret, which is kept as a hash.

    Raises:
        Conflict: the name is taken.
        DocumentInvalid: a namespace breaks its grammar.
    """
    secret = generate_client_secret()
    application = Application(
        name=client.name,
        kind=client.kind,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_CLIENT_CREDENTIALS,
        client_secret=secret,
        roles=list(client.roles),
    )
    try:
        with transaction.atomic():
            application.save()
    except IntegrityError as error:
        raise Conflict(f"There is a client called {client.name} already.") from error
    scopes.grant(application, (*NEEDED[client.kind], *client.scopes), now=now)
    own(application, client.providers, now=now)
    return application, secret


def own(application: Application, providers: Iterable[str], *, now: datetime) -> None:
    """Make an application an owner of namespaces, beside those who own them already.

    Raises:
        DocumentInvalid: a name breaks the grammar of providers.
    """
    for name in map(str.lower, providers):
        if not is_provider(name):
            fault = Fault("/provider", "pattern", "At most 63 of a-z, 0-9, '.', '_' and '-'.")
            raise DocumentInvalid(f"{name[:100]!r} is no provider name.", errors=[fault])
        provider, _ = Provider.objects.get_or_create(name=name, defaults={"created_at": now})
        ProviderOwner.objects.get_or_create(
            provider=provider, application=application, defaults={"since": now}
        )


def rotate(application: Application) -> str:
    """Give a client another secret and return it; the old one ends at once, tokens live on."""
    secret: str = generate_client_secret()
    application.client_secret = secret
    application.save(update_fields=["client_secret", "updated"])
    return secret
