"""Say who uses a tool: what agents declared, and what they really do."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from consumers.services import impact
from oauth.principal import everything
from registry.services import resolution
from toolroster.errors import ToolrosterError


class Command(BaseCommand):
    """`manage.py list_consumers NAME [--json]`."""

    help = "List the agents of a tool: their range, the version they are bound to, and their uses."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which tool."""
        parser.add_argument("name", help="[provider/]name")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """List them."""
        try:
            found = impact.consumers(resolution.tool_of(options["name"], principal=everything()))
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
        if options["json"]:
            self.stdout.write(json.dumps([one.as_json() for one in found], ensure_ascii=False, indent=2))
            return
        for one in found:
            self.stdout.write(_line(one.as_json()))
        if not found:
            self.stdout.write("Nobody who sends a token.")


def _line(said: dict[str, Any]) -> str:
    bound = f"{said['ref']} → {said['bound']}" if said["ref"] else "not declared"
    uses = [
        f"{use['kind'].lower()} {use['tool_id'].rpartition(':')[2]} {use['count']} times"
        for use in said["uses"]
    ]
    return f"{said['name']}: {bound}; {', '.join(uses) or 'no use yet'}"
