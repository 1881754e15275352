"""Make an OAuth client and show its secret, once."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from oauth import audit
from oauth.models import Application
from registry.management import named
from registry.services import clients
from registry.services.clients import NewClient
from toolroster.errors import ToolrosterError

_ME = audit.command("create_client")


class Command(BaseCommand):
    """`manage.py create_client NAME --kind agent --scope calculator:use`."""

    help = "Make an OAuth client for an agent, a provider, a tool service or an operator."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what the client is to be."""
        parser.add_argument("name")
        parser.add_argument("--kind", choices=Application.Kind.values, required=True)
        parser.add_argument("--scope", action="append", default=[], help="a scope it may ask for; repeat")
        parser.add_argument("--role", action="append", default=[], help="a role it has; repeat")
        parser.add_argument("--provider", action="append", default=[], help="a namespace it owns; repeat")
        parser.add_argument("--rotate", action="store_true", help="give an existing client a new secret")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it, or rotate its secret, and print what the client needs."""
        if options["rotate"]:
            application = named.client(options["name"])
            secret = clients.rotate(application, by=_ME, now=timezone.now())
        else:
            application, secret = self._create(options)
        self.stdout.write(f"client_id      {application.client_id}")
        self.stdout.write(f"client_secret  {secret}")
        self.stdout.write("Keep the secret now: it is stored as a hash and cannot be shown again.")

    def _create(self, options: dict[str, Any]) -> tuple[Application, str]:
        wanted = NewClient(
            name=options["name"],
            kind=Application.Kind(options["kind"]),
            scopes=tuple(options["scope"]),
            roles=tuple(options["role"]),
            providers=tuple(options["provider"]),
        )
        try:
            return clients.create(wanted, by=_ME, now=timezone.now())
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
