"""Build the vectors of the configured model beside the current ones, then swap them in."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import F
from django.utils import timezone

from registry import conf
from registry.models import EmbeddingSpace
from registry.search.finding import Space
from registry.services import indexing, spaces

_BATCH = 16


class Command(BaseCommand):
    """`manage.py reembed [--all]`."""

    help = (
        "Embed what the configured model (EMBEDDING_BACKEND, EMBEDDING_MODEL) lacks, then use it for search."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--all`."""
        parser.add_argument("--all", action="store_true", help="also what has a vector")

    def handle(self, *args: Any, **options: Any) -> None:
        """Embed in batches and report progress; search goes on in the current space meanwhile."""
        wanted = [spaces.target(one, now=timezone.now()) for one in conf.wanted_embeddings()]
        found = [space for space in wanted if space is not None]
        if not found:
            raise CommandError("EMBEDDING_BACKEND is none: search goes by words, there is nothing to embed.")
        for space in found:
            self._embed(space, is_all=options["all"])

    def _embed(self, space: Space, *, is_all: bool) -> None:
        wanted = indexing.in_use() if is_all else indexing.waiting(space.row)
        total, done, last = wanted.count(), 0, 0
        while batch := list(wanted.filter(pk__gt=last)[:_BATCH]):
            done += indexing.embed(batch, space=space, now=timezone.now(), is_anew=is_all)
            last = batch[-1].pk
            self.stdout.write(f"{done} of {total}")
        if is_all:
            EmbeddingSpace.objects.filter(pk=space.row.pk).update(revision=F("revision") + 1)
        spaces.swap_when_complete(space)
        self.stdout.write(f"Search uses {space.row.space_id}.")
