"""Take beats and give leases back.

One beat is one set-based UPDATE of its leases, in the order of their ids, restricted to providers that the
caller may write to. The server's clock decides. Mere renewals commit asynchronously: a crash of the
database may lose the last ones, never a lease row (PERFORMANCE §2); the next beat comes within seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from django.db import connection, transaction
from django.db.models import QuerySet

from oauth.principal import Principal
from registry.models import Provider, ToolEvent, ToolInstance, ToolRegistration
from registry.models.instance import ENDED
from registry.models.provider import ProviderQuerySet
from registry.services import events, generations, refusals
from registry.services.statements import Shape, Statement, Values

Health = ToolRegistration.Health
Outcome = Literal["renewed", "recovered", "unknown", "conflict"]


@dataclass(frozen=True, slots=True)
class BeatResult:
    """What a beat did to one tool id."""

    tool_id: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class _Known:
    """What a beat has to know of a registration."""

    pk: int
    tool_id: str
    health: str
    liveness: str


_RENEW = """
WITH beating AS (
    SELECT lease.id
    FROM registry_toolinstance lease
    JOIN registry_toolregistration registration ON registration.id = lease.registration_id
    WHERE registration.tool_id = ANY(%(tool_ids)s) AND registration.lifecycle <> 'RETIRED'
      AND lease.provider_instance = %(instance)s AND lease.provider_id = ANY(%(providers)s)
    ORDER BY lease.id
    FOR UPDATE OF lease
)
UPDATE registry_toolinstance lease SET last_beat_at = GREATEST(lease.last_beat_at, %(now)s)
FROM beating WHERE lease.id = beating.id
RETURNING lease.registration_id, lease.refusal IS NOT NULL
"""


@transaction.atomic
def record(
    *, tool_ids: Sequence[str], provider_instance: str, principal: Principal, now: datetime
) -> list[BeatResult]:
    """Renew the instance's leases; what was suspect or unavailable recovers.

    Results come in the order of `tool_ids`. A registration that this instance never beat for gets a lease;
    one that does not exist, is retired or belongs to others is `unknown`.
    """
    sent = {tool_id: canonical_id(tool_id) for tool_id in tool_ids}
    wanted = sorted(set(sent.values()))
    owned = _owned(wanted, principal)
    refused = _renew(wanted, provider_instance, owned, now)
    known = {one.tool_id: one for one in _unretired(wanted, owned)}
    recovered = _settle(list(known.values()), refused, provider_instance, now)
    results = [_result(tool_id, known.get(sent[tool_id]), refused, recovered) for tool_id in tool_ids]
    unknown = [sent[one.tool_id] for one in results if one.outcome == "unknown"]
    never = refusals.among(unknown, instance=provider_instance, providers=owned)
    return [replace(one, outcome="conflict") if sent[one.tool_id] in never else one for one in results]


def _settle(known: Sequence[_Known], refused: dict[int, bool], instance: str, now: datetime) -> set[int]:
    """Give first leases and bring health back; return what recovered. Most beats change nothing."""
    unsettled = _lock_unsettled(known, refused)
    monitored = [r for r in unsettled if _target(r.liveness) == Health.HEALTHY]
    _grant([r for r in monitored if r.pk not in refused], instance, now)
    recovered = revive(monitored, now=now)
    unmonitored = [r for r in unsettled if _target(r.liveness) == Health.UNMONITORED]
    return recovered | revive(unmonitored, now=now, to=Health.UNMONITORED)


def canonical_id(tool_id: str) -> str:
    """Return the id as it is stored: the provider in lower case."""
    provider, colon, rest = tool_id.partition(":")
    return provider.lower() + colon + rest


def _owned(tool_ids: Sequence[str], principal: Principal) -> list[int]:
    """Return the providers of these ids in whose namespaces the principal may write."""
    names = sorted({tool_id.partition(":")[0] for tool_id in tool_ids})
    values: dict[str, str | int] = {f"name {number}": name for number, name in enumerate(names)}
    if principal.application_id is not None:
        values["application"] = principal.application_id
    return [pk for (pk,) in _OWNED.rows(values)]


def _writable(values: Values, shape: Shape) -> QuerySet[Provider, int]:
    names = [name for key, name in values.items() if key != "application"]
    writer = Principal(values.get("application"), None, frozenset(), frozenset())
    return Provider.objects.filter(name__in=names).writable_by(writer).values_list("pk", flat=True)


_OWNED = Statement(_writable)


def _providers_of(tool_ids: Sequence[str]) -> ProviderQuerySet:
    return Provider.objects.filter(name__in={tool_id.partition(":")[0] for tool_id in tool_ids})


_UNRETIRED = """
SELECT registration.id, registration.tool_id, registration.health, registration.liveness
FROM registry_toolregistration registration JOIN registry_tool tool ON tool.id = registration.of_tool_id
WHERE registration.tool_id = ANY(%(tool_ids)s) AND tool.provider_id = ANY(%(providers)s)
  AND registration.lifecycle <> 'RETIRED'
"""


def _unretired(tool_ids: list[str], providers: list[int]) -> list[_Known]:
    """Return what a beat may be for, without the document and without a model: they cost half of the beat."""
    with connection.cursor() as cursor:
        cursor.execute(_UNRETIRED, {"tool_ids": tool_ids, "providers": providers})
        return [_Known(*row) for row in cursor.fetchall()]


def _renew(tool_ids: list[str], instance: str, providers: list[int], now: datetime) -> dict[int, bool]:
    """Return the registrations whose lease was renewed, with whether this instance was refused."""
    values: dict[str, Any] = {"tool_ids": tool_ids, "instance": instance, "providers": providers, "now": now}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit TO off")
        cursor.execute(_RENEW, values)
        return dict(cursor.fetchall())


def _target(liveness: str) -> Health:
    """Return the health that a beat brings."""
    return Health.UNMONITORED if liveness == ToolRegistration.Liveness.NONE else Health.HEALTHY


def _lock_unsettled(known: Sequence[_Known], refused: dict[int, bool]) -> list[ToolRegistration]:
    """Lock and return what needs more than a renewed lease: a first lease, or another health.

    All at once and by id, so that two beats never wait for each other. A renewed lease is locked already:
    no sweep judges it before this beat has ended, so the health that was read after it stands.
    """
    unsettled = [
        one.pk
        for one in known
        if not refused.get(one.pk)
        and (
            one.health != (target := _target(one.liveness))
            or (target == Health.HEALTHY and one.pk not in refused)
        )
    ]
    if not unsettled:
        return []
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit TO DEFAULT")
    locked = ToolRegistration.objects.filter(pk__in=unsettled).select_related("of_tool").order_by("pk")
    return list(locked.select_for_update(of=("self",), no_key=True))


REGISTRATION_LEASE = "registration"
"""Instance name of the lease that a document with `liveness: heartbeat` gets before its first beat."""


def end_placeholders(registration_ids: Sequence[int]) -> None:
    """End the leases that stood for instances to come: one has come. The registrations are locked."""
    waiting = ToolInstance.objects.filter(registration_id__in=registration_ids)
    waiting.filter(provider_instance=REGISTRATION_LEASE).update(last_beat_at=ENDED)


def _grant(registrations: list[ToolRegistration], instance: str, now: datetime) -> None:
    """Give an instance its first leases. The registrations are locked, against the sweep."""
    if not registrations:
        return
    end_placeholders([registration.pk for registration in registrations])
    ToolInstance.objects.bulk_create(
        (ToolInstance.of(registration, instance, now=now) for registration in registrations),
        update_conflicts=True,
        unique_fields=["registration", "provider_instance"],
        update_fields=["last_beat_at"],
    )


def revive(locked: Sequence[ToolRegistration], *, now: datetime, to: Health = Health.HEALTHY) -> set[int]:
    """Move registrations to HEALTHY (or UNMONITORED); return those that recovered, one event each.

    The caller holds their row locks and has renewed their leases.
    """
    changed = [r for r in locked if r.health != to]
    if not changed:
        return set()
    ToolRegistration.objects.filter(pk__in=[r.pk for r in changed]).update(health=to)
    generations.replace_on_commit(label for row in changed for label in row.categories)
    recovered = [r for r in changed if r.health in {Health.SUSPECT, Health.UNAVAILABLE}]
    events.record(ToolEvent.Kind.RECOVERED, recovered, now=now)
    return {r.pk for r in recovered}


def _result(tool_id: str, known: _Known | None, refused: dict[int, bool], recovered: set[int]) -> BeatResult:
    if known is None:
        return BeatResult(tool_id, "unknown")
    if refused.get(known.pk):
        return BeatResult(tool_id, "conflict")
    return BeatResult(tool_id, "recovered" if known.pk in recovered else "renewed")


@transaction.atomic
def end(
    *, tool_ids: Sequence[str], provider_instance: str | None, principal: Principal, now: datetime
) -> dict[str, bool]:
    """Give back the instance's leases, all of them without an instance.

    Returns the tool ids that are known, each with whether anything ended. A tool without a lease left is
    unavailable until a beat or a registration revives it. Nothing is deleted.
    """
    wanted = [canonical_id(tool_id) for tool_id in tool_ids]
    owned = list(_providers_of(wanted).writable_by(principal).values_list("pk", flat=True))
    known = ToolRegistration.objects.filter(tool_id__in=wanted, of_tool__provider__in=owned)
    ids = dict(known.values_list("pk", "tool_id"))
    # Those of other instances too: one may be beating right now, and then the tool stays available.
    leases = ToolInstance.objects.filter(registration_id__in=ids).order_by("pk").select_for_update()
    held = [lease for lease in leases if provider_instance in {None, lease.provider_instance}]
    ToolInstance.objects.filter(pk__in=[lease.pk for lease in held]).update(last_beat_at=ENDED)
    ended = {lease.registration_id for lease in held if lease.last_beat_at > ENDED}
    ended |= _close(sorted(ids if provider_instance is None else ended), now=now)
    return {tool_id: key in ended for key, tool_id in ids.items()}


def _close(registration_ids: list[int], *, now: datetime) -> set[int]:
    """Mark as unavailable what has no lease left; return which were not before."""
    serving = ToolRegistration.objects.filter(pk__in=registration_ids).exclude(
        lifecycle=ToolRegistration.Lifecycle.RETIRED
    )
    # What is never monitored is always alive: it has no lease to give back.
    monitored = serving.exclude(liveness=ToolRegistration.Liveness.NONE)
    without = monitored.exclude(health=Health.UNAVAILABLE)
    claimed = list(without.order_by("pk").select_for_update(of=("self",), no_key=True))
    # Asked under the lock: an instance may have got its first lease meanwhile.
    left = ToolInstance.objects.fresh(ENDED).filter(registration__in=claimed)
    served = set(left.values_list("registration_id", flat=True))
    ended = [registration for registration in claimed if registration.pk not in served]
    ToolRegistration.objects.filter(pk__in=[r.pk for r in ended]).update(health=Health.UNAVAILABLE)
    events.record(ToolEvent.Kind.UNAVAILABLE, ended, now=now, data={"reason": "deregistered"})
    return {registration.pk for registration in ended}
