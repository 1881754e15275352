"""Background work of calls; each task can run twice."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from consumers.services import memories, partitions, repeating, sessions
from registry.services import failing


@shared_task(soft_time_limit=600)
def maintain_calls() -> None:
    """Make the days of calls to come; drop days, sessions and memories beyond retention, and old keys."""
    now = timezone.now()
    partitions.maintain(now=now, keep_days=settings.CALL_RETENTION_DAYS)
    repeating.forget(now=now)
    before = now - timedelta(days=settings.CALL_RETENTION_DAYS)
    sessions.forget(before=before)
    memories.forget(before=before)


@shared_task(soft_time_limit=25)
def settle_failing() -> None:
    """Take the mark from tools of which no failing call was heard for a while."""
    failing.settle(now=timezone.now())
