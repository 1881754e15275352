"""Mark registrations whose leases have run out; every transition makes exactly one event.

Locks are taken in the order leases, then registrations, as beats do. A lease that a beat holds is skipped:
it is being renewed. Two sweeps at once take turns by an advisory lock.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from registry.models import LeaseWatch, ToolEvent, ToolInstance, ToolRegistration
from registry.models.instance import ENDED
from registry.services import events, leases
from registry.services.leases import LeasePolicy, LeaseView

logger = logging.getLogger(__name__)

_LOCK = 7_401_001
"""Key of the advisory lock of sweeps."""
_FORGOTTEN = timedelta(days=1)
"""How long an expired lease is kept beside a newer one of the same registration."""

Health = ToolRegistration.Health
_ALIVE = (Health.HEALTHY, Health.SUSPECT)


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What one sweep changed; `is_held` means that it held back."""

    suspect: int = 0
    unavailable: int = 0
    is_held: bool = False


@transaction.atomic
def sweep(*, now: datetime, policy: LeasePolicy, force: bool = False) -> SweepReport:
    """Mark what is suspect and what is unavailable. `force` overrules self-preservation.

    A sweep that finds another one at work does nothing.
    """
    if not _claim():
        return SweepReport()
    seen = leases.view(now=now, policy=policy)
    LeaseWatch.objects.get_or_create(pk=1)
    if seen.is_held and not force:
        _hold(seen)
        return SweepReport(is_held=True)
    _release(now)
    if seen.is_grace and not force:
        return SweepReport()
    expired = now - timedelta(seconds=policy.lease_seconds)
    report = _mark(now=now, suspect=seen.suspect_cutoff, expired=expired)
    _forget(now)
    LeaseWatch.objects.filter(pk=1).update(swept_at=now)
    leases.recent.forget()
    return report


def _claim() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def _mark(*, now: datetime, suspect: datetime, expired: datetime) -> SweepReport:
    """Judge registrations by their newest beat: after `suspect` all is well, until `expired` it is gone.

    One pass for both, so that registrations are locked in one order.
    """
    stale = _claim_stale_leases(suspect)
    newest: dict[int, datetime] = {}
    for lease in stale:
        beat = ENDED if lease.refusal is not None else lease.last_beat_at
        newest[lease.registration_id] = max(beat, newest.get(lease.registration_id, ENDED))
    claimed = list(
        ToolRegistration.objects.filter(pk__in=newest, health__in=_ALIVE)
        .exclude(lifecycle=ToolRegistration.Lifecycle.RETIRED)
        .order_by("pk")
        .select_for_update(of=("self",), no_key=True)
        .only(*events.FIELDS, "health")
    )
    # Asked last, under both locks: a lease that is not ours is fresh, or held by a beat right now.
    ours = [lease.pk for lease in stale]
    others = ToolInstance.objects.serving().filter(registration__in=claimed).exclude(pk__in=ours)
    served = set(others.values_list("registration_id", flat=True))
    silent = [item for item in claimed if item.pk not in served]
    gone = [item for item in silent if newest[item.pk] <= expired]
    late = [item for item in silent if newest[item.pk] > expired and item.health == Health.HEALTHY]
    return SweepReport(
        unavailable=_move(gone, Health.UNAVAILABLE, now), suspect=_move(late, Health.SUSPECT, now)
    )


def _claim_stale_leases(suspect: datetime) -> list[ToolInstance]:
    """Lock the leases without a beat after `suspect`, and those of refused instances, where none counts."""
    silent = Q(last_beat_at__lte=suspect) | Q(refusal__isnull=False)
    stale = ToolInstance.objects.filter(silent, registration__health__in=_ALIVE).order_by("pk")
    return list(stale.select_for_update(of=("self",), skip_locked=True))


def _move(claimed: Sequence[ToolRegistration], health: Health, now: datetime) -> int:
    ToolRegistration.objects.filter(pk__in=[item.pk for item in claimed]).update(health=health)
    kind = ToolEvent.Kind.SUSPECT if health == Health.SUSPECT else ToolEvent.Kind.UNAVAILABLE
    events.record(kind, claimed, now=now, data={"reason": "missed heartbeats"})
    if health == Health.UNAVAILABLE and claimed:
        logger.warning("tools missed their heartbeats and are unavailable", extra={"count": len(claimed)})
    return len(claimed)


def _hold(seen: LeaseView) -> None:
    """Raise the alarm once; the next sweeps stay silent while it lasts."""
    if LeaseWatch.objects.filter(pk=1, held_since__isnull=True).update(held_since=seen.now):
        numbers = {"silent_leases": seen.silent, "silent_providers": seen.silent_providers}
        events.record_for_registry(ToolEvent.Kind.HELD, now=seen.now, data=numbers)
        logger.error("most leases would expire at once: nothing is marked stale", extra=numbers)


def _release(now: datetime) -> None:
    if LeaseWatch.objects.filter(pk=1, held_since__isnull=False).update(held_since=None):
        events.record_for_registry(ToolEvent.Kind.RELEASED, now=now, data={})
        logger.warning("the sweep marks stale tools again")


def _forget(now: datetime) -> None:
    """Delete long expired leases that have a newer one beside them: instances come and go."""
    newer = ToolInstance.objects.filter(
        registration_id=OuterRef("registration_id"), last_beat_at__gt=now - _FORGOTTEN
    )
    old = ToolInstance.objects.filter(Exists(newer), last_beat_at__lte=now - _FORGOTTEN)
    # One that beats again is skipped: it may wait for a registration that this sweep holds.
    gone = old.filter(last_beat_at__gt=ENDED).select_for_update(of=("self",), skip_locked=True)
    ToolInstance.objects.filter(pk__in=list(gone.values_list("pk", flat=True))).delete()
