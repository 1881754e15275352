"""Load the demo catalogue and write the note of addresses and credentials."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from config import demo


class Command(BaseCommand):
    """`manage.py load_demo`."""

    help = "Register the probe tools, create the demo admin, and write demo.json."

    def handle(self, *args: Any, **options: Any) -> None:
        """Load; what is there already stays."""
        now = timezone.now()
        demo.load(now=now)
        demo.note(settings.HOME, now=now)
        if options["verbosity"]:
            self.stdout.write(f"Wrote {settings.HOME / 'demo.json'}.")
