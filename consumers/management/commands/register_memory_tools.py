"""Register the platform's memory as tools."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consumers.services import memory_tools
from oauth.principal import everything
from registry import conf
from registry.api.registering import register_all
from registry.services.registration import Registering


class Command(BaseCommand):
    """`manage.py register_memory_tools`."""

    help = "Register store_memory and get_compressed_memory, served at PUBLIC_URL; again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Register them, and say what became of each."""
        rules = conf.compatibility_rules()
        by = Registering(
            principal=everything(), now=timezone.now(), review_required=False, compatibility=rules
        )
        for outcome in register_all(memory_tools.documents(settings.PUBLIC_URL), by=by):
            if outcome.problem is not None:
                raise CommandError(outcome.problem.detail)
            self.stdout.write(f"{outcome.tool_id}: {outcome.outcome}")
