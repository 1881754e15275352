"""Deprecate a version of a tool, yank it, or take that back."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from oauth import audit
from oauth.principal import everything
from registry.models import ToolRegistration
from registry.services import lifecycle, resolution
from toolroster.errors import ToolrosterError

_ME = audit.command("deprecate_tool")


class Command(BaseCommand):
    """`manage.py deprecate_tool TOOL [--reason …] [--sunset-at …] [--replaced-by …] [--yank | --undo]`."""

    help = (
        "Take a version out of ranges and lists; its exact version still works, with a warning. --yank: "
        "listed nowhere, for what should not have been published. --undo takes either back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which version, and what is said of it."""
        parser.add_argument("tool", help="tool id, or a reference: the highest version that it means")
        parser.add_argument("--reason", default="")
        parser.add_argument("--sunset-at", help="when it is retired: ISO 8601, UTC without a zone")
        parser.add_argument("--replaced-by", default="", help="a reference that exists")
        step = parser.add_mutually_exclusive_group()
        step.add_argument("--yank", action="store_true")
        step.add_argument("--undo", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Decide, and say what was decided."""
        try:
            row = _decide(resolution.named(options["tool"], principal=everything()).pk, options)
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{row.tool_id} is {'yanked' if row.yanked_at else row.lifecycle.lower()}.")


def _decide(pk: int, options: dict[str, Any]) -> ToolRegistration:
    now = timezone.now()
    if options["undo"]:
        return lifecycle.restore(pk, now=now, by=_ME)
    said = {"reason": options["reason"], "replaced_by": options["replaced_by"]}
    if said["replaced_by"]:
        resolution.named(said["replaced_by"], principal=everything())
    if options["yank"]:
        return lifecycle.yank(pk, now=now, by=_ME, **said)
    sunset_at = lifecycle.sunset_of(options["sunset_at"]) if options["sunset_at"] else None
    return lifecycle.deprecate(pk, now=now, by=_ME, sunset_at=sunset_at, **said)
