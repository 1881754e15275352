"""Which embedding space search uses, and how another one takes its place without a gap.

The settings name the model that is wanted. While its vectors are built beside, search goes on in the
current space; when none is missing the new one is swapped in and the others are dropped.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from registry.models import EmbeddingSpace
from registry.search import embedders, meaning, means
from registry.search.embedders import Embedder, Options
from registry.search.errors import EmbedderUnavailable
from registry.search.finding import Space
from registry.search.means import build
from registry.services import generations, indexing

logger = logging.getLogger(__name__)

Role = EmbeddingSpace.Role


@dataclass(frozen=True, slots=True)
class Wanted:
    """The embedding model that the settings name; backend `none` means words alone."""

    backend: str
    model: str = ""
    options: Options = field(default_factory=Options)
    role: Role = Role.MAIN


def in_use(wanted: Wanted) -> Space | None:
    """Return the space to search in, None for words alone.

    Fails open: when the model cannot be had, search goes by words.
    """
    if wanted.backend == "none":
        return None
    row = EmbeddingSpace.objects.filter(is_current=True, role=wanted.role).first()
    if row is None:
        return None
    embedder = embedders.load(row.backend, row.model, wanted.options)
    try:
        if embedder is not None and meaning.space_id(embedder) == row.space_id:
            return Space(row, embedder)
        return _made(wanted)  # that one was made by other means or templates: not comparable
    except EmbedderUnavailable:
        logger.warning("no embedding model: search goes by words alone", exc_info=True)
        return None


def all_in_use(all_wanted: Sequence[Wanted]) -> list[Space]:
    """Return the spaces to search in, the main one first; none of them: by words alone."""
    return [space for wanted in all_wanted if (space := in_use(wanted)) is not None]


def target(wanted: Wanted, *, now: datetime) -> Space | None:
    """Return the space that the settings ask for, created if it is new; the first of all is current at once.

    Raises:
        EmbedderUnavailable: the model cannot be had.
    """
    embedder = embedders.load(wanted.backend, wanted.model, wanted.options)
    if embedder is None:
        return None
    space = _made(wanted) or _make(wanted, embedder, now)
    if not EmbeddingSpace.objects.filter(is_current=True, role=space.row.role).exists():
        swap_to(space.row)
    return space


def _made(wanted: Wanted) -> Space | None:
    """Return the space that the settings ask for, if there is one."""
    embedder = embedders.load(wanted.backend, wanted.model, wanted.options)
    if embedder is None:
        return None
    row = EmbeddingSpace.objects.filter(space_id=meaning.space_id(embedder)).first()
    return None if row is None else Space(row, embedder)


def _make(wanted: Wanted, embedder: Embedder, now: datetime) -> Space:
    """Make a space. For a model without shipped means some hundred texts are embedded first."""
    made = None if means.are_shipped(embedder.model_id) else build.make(embedder)
    row, _ = EmbeddingSpace.objects.get_or_create(
        space_id=meaning.space_id(embedder),
        defaults={
            "backend": wanted.backend,
            "model": wanted.model,
            "created_at": now,
            "role": wanted.role,
            "made_means": made,
        },
    )
    return Space(row, embedder)


def swap_when_complete(space: Space) -> bool:
    """Make a space current once it has every vector; tell whether it was swapped in by this call."""
    if indexing.waiting(space.row).exists() or EmbeddingSpace.objects.filter(
        pk=space.row.pk, is_current=True
    ):
        return False
    swap_to(space.row)
    logger.info("search uses another embedding space", extra={"space": space.row.space_id})
    return True


@transaction.atomic
def swap_to(row: EmbeddingSpace) -> None:
    """Make a space the current one of its role and drop the others with their vectors."""
    others = EmbeddingSpace.objects.filter(role=row.role)
    locked = others.order_by("pk").select_for_update().values_list("pk", flat=True)
    if row.pk not in set(locked):  # dropped by another swap meanwhile: that one stays
        return
    others.exclude(pk=row.pk).delete()
    EmbeddingSpace.objects.filter(pk=row.pk).update(is_current=True)
    generations.replace_everything_on_commit()
