"""Let an OAuth client hold scopes, or take them from it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from oauth import audit, scopes
from oauth.models import Application
from registry.management import named
from toolroster.errors import ToolrosterError

_ME = audit.command("grant_scope")


class Command(BaseCommand):
    """`manage.py grant_scope NAME database:read [--withdraw]`."""

    help = "Grant scopes to a client: for tokens that it gets from now on. Withdrawing takes them from all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take who and what."""
        parser.add_argument("name", help="the client's name")
        parser.add_argument("scopes", nargs="+", metavar="scope")
        parser.add_argument("--withdraw", action="store_true", help="take the scopes away")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change the grants and say what the client holds now."""
        application = named.client(options["name"])
        if options["withdraw"]:
            scopes.withdraw(application, options["scopes"], by=_ME, now=timezone.now())
        else:
            self._grant(application, options["scopes"])
        held = " ".join(scopes.held_by(application)) or "no scope"
        self.stdout.write(f"{application.name} holds {held}")

    def _grant(self, application: Application, names: list[str]) -> None:
        try:
            scopes.grant(application, names, by=_ME, now=timezone.now())
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
