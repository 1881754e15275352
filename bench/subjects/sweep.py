"""A look at all leases, and the sweep that writes down which have run out."""

from datetime import timedelta
from functools import partial

from django.db.models import F

from bench import data, naive
from bench.measure import Variant
from registry.models import ToolInstance
from registry.services import leases, sweep

UNIT = "pass over all leases"

_EXPIRED = data.NOW - timedelta(seconds=data.POLICY.lease_seconds + 1)
_STALE_SHARE = 100
"""One in so many leases is stale."""


def variants() -> list[Variant]:
    """Return passes with nothing to do, and with one lease in a hundred run out."""
    data.renew()
    act = partial(sweep.sweep, now=data.NOW, policy=data.POLICY)
    return [
        Variant("naive, nothing stale", _naive, prepare=data.renew),
        Variant("naive, 1 % stale", _naive, prepare=_expire),
        Variant("view", partial(leases.view, now=data.NOW, policy=data.POLICY), prepare=data.renew),
        Variant("sweep, nothing stale", act, against="naive, nothing stale", prepare=data.renew),
        Variant("sweep, 1 % stale", act, against="naive, 1 % stale", prepare=_expire),
    ]


def _naive() -> int:
    return naive.sweep(cutoff=data.NOW - timedelta(seconds=data.POLICY.lease_seconds))


def _expire() -> None:
    data.renew()
    stale = ToolInstance.objects.alias(rest=F("pk") % _STALE_SHARE).filter(rest=0)
    stale.update(last_beat_at=_EXPIRED)
    old = naive.NaiveTool.objects.alias(rest=F("pk") % _STALE_SHARE).filter(rest=0)
    old.update(last_heartbeat_at=_EXPIRED)
