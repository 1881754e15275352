"""The Celery app: workers and beat, on the same Valkey as the cache."""

import os
from datetime import UTC, datetime
from typing import Any

from celery import Celery
from celery.signals import beat_init, before_task_publish, worker_ready

from registry.services import pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("toolroster")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def note_worker(**_signal: Any) -> None:
    """Note that a worker is ready, without waiting for the first pulse."""
    pulse.note("worker", now=datetime.now(UTC))  # noqa: TID251 - an interface reads the clock


@beat_init.connect
@before_task_publish.connect(sender="registry.tasks.pulse")
def note_beat(**_signal: Any) -> None:
    """Note that beat is alive: it alone sends this task."""
    pulse.note("beat", now=datetime.now(UTC))  # noqa: TID251 - an interface reads the clock
