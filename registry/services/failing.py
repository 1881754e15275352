"""Tools whose calls fail: suspect for a while, whatever their beats say.

The router tells when a breaker opens or closes. A mark ends by itself: it may be that nobody calls any more.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from registry.models import ToolEvent, ToolRegistration
from registry.services import events

_MOST_INSTANCES = 100
"""Instances that are told apart: those that fail the longest."""


@transaction.atomic
def suspect(tool_id: str, *, instance: str, until: datetime, now: datetime) -> None:
    """Mark a version as failing at an instance; one event, however often it is marked meanwhile."""
    row = _locked(tool_id)
    if row is None:
        return
    was_failing = row.failing_until is not None
    _mark(row, {**row.failing_instances, instance: until.isoformat()})
    if not was_failing:
        data = {"reason": "calls_fail", "instance": instance}
        events.record(ToolEvent.Kind.SUSPECT, [row], now=now, data=data)


@transaction.atomic
def recovered(tool_id: str, *, instance: str, now: datetime) -> None:
    """Take the mark of an instance whose calls work again; it is the version's while others fail."""
    row = _locked(tool_id)
    if row is None or instance not in row.failing_instances:
        return
    left = {name: until for name, until in row.failing_instances.items() if name != instance}
    if left:
        _mark(row, left)
    else:
        _clear(row, "calls_work", now)


def _mark(row: ToolRegistration, instances: dict[str, str]) -> None:
    latest = sorted(instances.items(), key=lambda one: one[1])[-_MOST_INSTANCES:]
    row.failing_instances = dict(latest)
    row.failing_until = datetime.fromisoformat(latest[-1][1])
    row.save(update_fields=["failing_until", "failing_instances"])


@transaction.atomic
def settle(*, now: datetime) -> int:
    """Take the marks whose time is over; return how many."""
    over = ToolRegistration.objects.filter(failing_until__lte=now).order_by("pk")
    rows = list(over.select_for_update(of=("self",), skip_locked=True))
    for row in rows:
        _clear(row, "no_calls_failed_since", now)
    return len(rows)


def _locked(tool_id: str) -> ToolRegistration | None:
    found = ToolRegistration.objects.filter(tool_id=tool_id).select_for_update(of=("self",), no_key=True)
    return found.first()


def _clear(row: ToolRegistration, reason: str, now: datetime) -> None:
    row.failing_until, row.failing_instances = None, {}
    row.save(update_fields=["failing_until", "failing_instances"])
    data: dict[str, Any] = {"reason": reason}
    events.record(ToolEvent.Kind.RECOVERED, [row], now=now, data=data)
