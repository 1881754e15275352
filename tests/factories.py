"""Build what the registry's tests are about; each passes only what it needs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import AccessToken, set_token_value

from oauth import resources, scopes
from oauth.models import Application, User
from oauth.principal import Principal, Reach, everything
from registry.models import Provider, ProviderOwner, ToolEvent, ToolRegistration
from registry.services import heartbeat, leases, registration
from registry.services.heartbeat import BeatResult
from registry.services.leases import LeasePolicy
from registry.services.registration import Outcome, Registering

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
POLICY = LeasePolicy(
    heartbeat_seconds=30,
    suspect_seconds=45,
    lease_seconds=90,
    preservation_share=0.5,
    preservation_providers=5,
)


def at(seconds: float) -> datetime:
    """Return the moment that many seconds after NOW."""
    return NOW + timedelta(seconds=seconds)


def cutoff(seconds: float = 0) -> datetime:
    """Return the beat before which a lease has run out at a moment, when nothing is held."""
    return at(seconds - POLICY.lease_seconds)


def seen(seconds: float = 0) -> leases.LeaseView:
    """Return how leases look at a moment."""
    return leases.view(now=at(seconds), policy=POLICY)


def make_document(**changes: Any) -> dict[str, Any]:
    """Return a registration document of `mail-team:send_email:1.0.0`."""
    document = {
        "provider": "mail-team",
        "name": "send_email",
        "version": "1.0.0",
        "description": "Send an email.",
        "parameters": [
            {"name": "to", "type": "string", "description": "The recipient.", "required": True},
        ],
    }
    return document | changes


def make_other_contract(**changes: Any) -> dict[str, Any]:
    """Return a document whose contract differs from that of `make_document`."""
    return make_document(parameters=[{"name": "to", "type": "integer"}], **changes)


def make_principal(
    *, scopes: Sequence[str] = (), roles: Sequence[str] = (), application: Application | None = None
) -> Principal:
    """Return a principal that sees by its scopes and roles."""
    return Principal(application and application.pk, None, frozenset(scopes), frozenset(roles))


def make_application(name: str = "mailer", **changes: Any) -> Application:
    """Return a stored OAuth client."""
    application: Application = Application.objects.create(
        name=name, client_type="confidential", authorization_grant_type="client-credentials", **changes
    )
    return application


def make_token(
    scope: str = "",
    *,
    application: Application | None = None,
    user: User | None = None,
    seconds: float = 3600,
    audience: Sequence[str] | None = None,
) -> str:
    """Return a stored access token, which ends in so many seconds; its application is granted the scopes."""
    application = application or make_application(f"client-{generate_client_secret()[:8]}")
    scopes.grant(application, scope.split(), by="test", now=NOW)
    token: str = generate_client_secret()
    row = AccessToken(
        application=application,
        user=user,
        scope=scope,
        resource=[resources.ours()] if audience is None else list(audience),
        expires=timezone.now() + timedelta(seconds=seconds),
    )
    set_token_value(row, token)
    row.save()
    return token


def make_owner(provider: str = "mail-team", name: str = "owner") -> Principal:
    """Return a principal that owns a namespace, created if it is new."""
    application = make_application(name)
    row, _ = Provider.objects.get_or_create(name=provider, defaults={"created_at": NOW})
    ProviderOwner.objects.create(provider=row, application=application, since=NOW)
    return make_principal(application=application)


def register(*documents: Any, seconds: float = 0, **by: Any) -> list[Outcome]:
    """Register documents through the service; `by` changes how."""
    rules: dict[str, Any] = {"principal": everything(), "now": at(seconds), "review_required": False} | by
    return registration.register(documents, by=Registering(**rules))


def make_registration(
    *, seconds: float = 0, instance: str | None = None, review_required: bool = False, **changes: Any
) -> ToolRegistration:
    """Return a registration that was made by the service; `changes` are the document's."""
    document = make_document(**changes)
    outcome = register(
        document, seconds=seconds, provider_instance=instance, review_required=review_required
    )[0]
    assert outcome.registration_id is not None, outcome.problem
    return ToolRegistration.objects.get(pk=outcome.registration_id)


def beat(
    *tool_ids: str, seconds: float = 0, instance: str = "host-1", principal: Principal | None = None
) -> list[BeatResult]:
    """Take a beat through the service."""
    return heartbeat.record(
        tool_ids=tool_ids or ["mail-team:send_email:1.0.0"],
        provider_instance=instance,
        principal=principal or everything(),
        now=at(seconds),
    )


def deregister(
    *tool_ids: str, seconds: float = 0, instance: str | None = None, principal: Principal | None = None
) -> dict[str, bool]:
    """Give leases back through the service."""
    return heartbeat.end(
        tool_ids=tool_ids or ["mail-team:send_email:1.0.0"],
        provider_instance=instance,
        principal=principal or everything(),
        now=at(seconds),
    )


def outcomes(results: Sequence[BeatResult | Outcome]) -> list[str]:
    """Return the outcomes alone."""
    return [result.outcome for result in results]


def event_kinds(tool_id: str | None = None) -> list[str]:
    """Return the kinds of the events so far, in their order, without the common prefix `tool:`."""
    found = ToolEvent.objects.in_order()
    if tool_id is not None:
        found = found.filter(tool_id=tool_id)
    return [kind.removeprefix("tool:") for kind in found.values_list("kind", flat=True)]


def health(row: ToolRegistration) -> str:
    """Return the stored health."""
    return ToolRegistration.objects.values_list("health", flat=True).get(pk=row.pk)


NOBODY = Principal(None, None, frozenset(), frozenset(), Reach.NOTHING)
EVERYTHING = everything()
