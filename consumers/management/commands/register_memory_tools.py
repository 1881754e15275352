"""Register the platform's memory as tools."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consumers.services import memory_tools
from oauth import audit
from oauth.principal import Principal, everything
from registry import conf
from registry.api.registering import register_all
from registry.management import named
from registry.services import namespace
from registry.services.registration import Registering

_ME = audit.command("register_memory_tools")


class Command(BaseCommand):
    """`manage.py register_memory_tools [--owner NAME]`."""

    help = "Register store_memory and get_compressed_memory, served at PUBLIC_URL; again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who owns their namespace."""
        owner = "the OAuth client that owns memory-service from then on; nobody if not given"
        parser.add_argument("--owner", metavar="NAME", help=owner)

    def handle(self, *args: Any, **options: Any) -> None:
        """Register them, and say what became of each."""
        by = Registering(
            principal=_owner(options["owner"]),
            now=timezone.now(),
            review_required=False,
            compatibility=conf.compatibility_rules(),
        )
        for outcome in register_all(memory_tools.documents(settings.PUBLIC_URL), by=by):
            if outcome.problem is not None:
                raise CommandError(outcome.problem.detail)
            self.stdout.write(f"{outcome.tool_id}: {outcome.outcome}")


def _owner(name: str | None) -> Principal:
    """Return who writes in the namespace; whoever is named owns it from now on."""
    if name is None:
        return everything()
    application = named.client(name)
    namespace.own(application, [memory_tools.PROVIDER], by=_ME, now=timezone.now())
    return replace(everything(), application_id=application.pk, client_id=application.client_id)
