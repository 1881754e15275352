"""OAuth clients of the platform: made with exactly the scopes, roles and namespaces they need."""

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, get_refresh_token_model

from oauth import audit, scopes
from oauth.models import Application, User
from registry.services import namespace
from toolroster.errors import Conflict

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
    """What a client is to be: `providers` are the namespaces it owns, `owner` who answers for it."""

    name: str
    kind: Kind
    scopes: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    owner: User | None = None


@transaction.atomic
def create(client: NewClient, *, by: str, now: datetime) -> tuple[Application, str]:
    """Make a confidential client_credentials client; return it with its secret, which is kept as a hash.

    Raises:
        Conflict: the name is taken.
        DocumentInvalid: a namespace or a scope breaks its grammar.
    """
    secret = generate_client_secret()
    application = Application(
        name=client.name,
        kind=client.kind,
        client_type=Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_CLIENT_CREDENTIALS,
        client_secret=secret,
        roles=list(client.roles),
        user=client.owner,
    )
    try:
        with transaction.atomic():
            application.save()
    except IntegrityError as error:
        raise Conflict(f"There is a client called {client.name} already.") from error
    audit.record(
        audit.Kind.CLIENT_CREATED, application.client_id, by=by, now=now, name=client.name, kind=client.kind
    )
    scopes.grant(application, (*NEEDED[client.kind], *client.scopes), by=by, now=now)
    namespace.own(application, client.providers, by=by, now=now)
    return application, secret


@transaction.atomic
def rotate(application: Application, *, by: str, now: datetime) -> str:
    """Give a client another secret and return it; the old one ends at once, tokens live on."""
    secret: str = generate_client_secret()
    application.client_secret = secret
    application.save(update_fields=["client_secret", "updated"])
    audit.record(audit.Kind.SECRET_ROTATED, application.client_id, by=by, now=now)
    return secret


@transaction.atomic
def end_tokens(application: Application, *, by: str, now: datetime) -> int:
    """Revoke every token of a client, which bites within five seconds; return how many there were."""
    get_refresh_token_model().objects.filter(application=application, revoked=None).update(revoked=now)
    ended: int
    ended, _ = get_access_token_model().objects.filter(application=application).delete()
    audit.record(audit.Kind.TOKENS_ENDED, application.client_id, by=by, now=now)
    return ended
