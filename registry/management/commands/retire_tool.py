"""Retire a version of a tool for good."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from oauth import audit
from oauth.principal import everything
from registry.services import lifecycle, resolution
from toolroster.errors import ToolrosterError

_ME = audit.command("retire_tool")


class Command(BaseCommand):
    """`manage.py retire_tool TOOL_ID [--reason …]`."""

    help = "Take a version out of service for good: it cannot be restored, and its id is never used again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which version exactly, and why."""
        parser.add_argument("tool_id", help="provider:name:version")
        parser.add_argument("--reason", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        """Retire, and say so."""
        try:
            row = resolution.get(options["tool_id"], principal=everything())
            lifecycle.retire(row.pk, now=timezone.now(), by=_ME, reason=options["reason"])
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"{row.tool_id} is retired.")
