"""When a lease counts: fresh, suspect, expired, or held because the registry suspects itself.

Readers and the sweep ask the same `view`, so that they hold back together.
"""

import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from registry.models import LeaseWatch, ToolInstance
from registry.models.instance import ENDED

_SHARE = 0.05
"""Of its time that a process may spend on views."""
_LONGEST_SECONDS = 15.0
"""A lease's end is seen within thirty seconds (PERFORMANCE): at most so late, and the list that is kept."""


@dataclass(frozen=True, slots=True)
class LeasePolicy:
    """The settings of liveness, in seconds; share and providers are those of self-preservation."""

    heartbeat_seconds: int
    suspect_seconds: int
    lease_seconds: int
    preservation_share: float
    preservation_providers: int


@dataclass(frozen=True, slots=True)
class LeaseView:
    """Leases at one moment: alive by a beat after `cutoff`, healthy by one after `suspect_cutoff`."""

    now: datetime
    cutoff: datetime
    suspect_cutoff: datetime
    is_held: bool
    is_grace: bool
    silent: int
    silent_providers: int


# Leases that were alive at the last sweep, and how many of them have been silent for longer than the
# suspect time. Counting the silent, not the expired, sees an outage before it has expired anything.
# Silent beside a beating instance of the same tool is one that was replaced: an update of all instances
# at once is no outage. Only silent leases pay for that question, by the unique index.
# By provider first: count(DISTINCT) would sort all leases.
_SILENT = """
SELECT coalesce(sum(alive), 0)::bigint, coalesce(sum(silent), 0)::bigint, count(*) FILTER (WHERE silent > 0)
FROM (
  SELECT provider_id, count(*) AS alive, count(*) FILTER (WHERE is_silent) AS silent
  FROM (
    SELECT provider_id, last_beat_at <= %(suspect)s AND NOT EXISTS (
        SELECT FROM registry_toolinstance other
        WHERE other.registration_id = lease.registration_id AND other.refusal IS NULL
          AND other.last_beat_at > %(suspect)s
    ) AS is_silent
    FROM registry_toolinstance lease
    WHERE refusal IS NULL AND last_beat_at > %(alive_at_sweep)s
    OFFSET 0
  ) judged
  GROUP BY provider_id
) of_providers
"""


def view(*, now: datetime, policy: LeasePolicy) -> LeaseView:
    """Look at the leases now: one scan of the narrow table (PERFORMANCE §2: 53 ms for 1,000,000 rows)."""
    watch = LeaseWatch.objects.first() or LeaseWatch()
    suspect = now - timedelta(seconds=policy.suspect_seconds)
    lease = timedelta(seconds=policy.lease_seconds)
    with connection.cursor() as cursor:
        since = (watch.swept_at or watch.held_since or now) - lease
        cursor.execute(_SILENT, {"suspect": suspect, "alive_at_sweep": max(since, ENDED)})
        alive, silent, providers = cursor.fetchone()
    is_mass = silent >= policy.preservation_share * alive and providers >= policy.preservation_providers
    is_grace = watch.grace_until is not None and watch.grace_until > now
    return LeaseView(
        now=now,
        cutoff=ENDED if is_mass or is_grace else now - lease,
        suspect_cutoff=suspect,
        is_held=is_mass,
        is_grace=is_grace,
        silent=silent,
        silent_providers=providers,
    )


class RecentView:
    """The view of this process, looked at again after `seconds`: reads share one scan.

    A beat is never judged by it, only the cutoff is; with a view of two seconds a lease ends at most two
    seconds late. Where a scan is dear (a third of a second for a million leases) it is looked at more rarely,
    so that a process spends at most a twentieth of its time on it, and still every fifteen seconds.
    """

    def __init__(self, seconds: float = 2) -> None:
        self._least = seconds
        self._age = timedelta(seconds=seconds)
        self._lock = threading.Lock()
        self._view: LeaseView | None = None

    def at(self, *, now: datetime, policy: LeasePolicy) -> LeaseView:
        """Return a view that is recent enough."""
        with self._lock:
            seen = self._view
            if seen is None or not timedelta(0) <= now - seen.now < self._age:
                begun = time.monotonic()
                seen = self._view = view(now=now, policy=policy)
                self._age = self._age_after(time.monotonic() - begun)
        return seen

    def _age_after(self, cost: float) -> timedelta:
        return timedelta(seconds=min(max(self._least, cost / _SHARE), max(self._least, _LONGEST_SECONDS)))

    def forget(self) -> None:
        """Look again at the next question."""
        with self._lock:
            self._view = None


recent = RecentView()
"""The view that the read paths of this process share."""


def begin(*, now: datetime, policy: LeasePolicy) -> bool:
    """Grant a grace period when the registry itself was away; called when a web process starts.

    It was away if leases exist and none was renewed within the suspect time: nobody could beat. While
    other web processes take beats, a restart of one of them changes nothing.
    """
    last = ToolInstance.objects.order_by("-last_beat_at", "pk").values_list("last_beat_at", flat=True).first()
    was_away = last is not None and last <= now - timedelta(seconds=policy.suspect_seconds)
    if was_away:
        until = now + timedelta(seconds=policy.lease_seconds)
        LeaseWatch.objects.update_or_create(pk=1, defaults={"grace_until": until})
        recent.forget()
    return was_away
