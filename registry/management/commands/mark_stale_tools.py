"""Mark tools whose heartbeats are missing, as the worker does each minute."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import conf
from registry.services import sweep


class Command(BaseCommand):
    """`manage.py mark_stale_tools [--force]`."""

    help = "Mark tools without heartbeats as suspect or unavailable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the operator's override."""
        parser.add_argument(
            "--force",
            action="store_true",
            help="also when most leases would expire at once: the providers really are gone",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep once and say what changed."""
        report = sweep.sweep(now=timezone.now(), policy=conf.lease_policy(), force=options["force"])
        if report.is_held:
            self.stderr.write("Held back: most leases would expire at once. --force overrules this.")
        else:
            self.stdout.write(f"{report.suspect} suspect, {report.unavailable} unavailable.")
