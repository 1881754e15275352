"""Migrate agents from one version of a tool to another one, or take a migration back."""

import sys
from argparse import ArgumentParser
from typing import Any

import click
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consumers.services import migrating
from consumers.services.migrating import Asked, Outcome, Progress
from oauth import audit
from oauth.principal import everything
from registry import conf
from registry.services import governing, resolution
from toolroster.errors import ToolrosterError

_ME = audit.command("migrate_tool_version")


class Command(BaseCommand):
    """`manage.py migrate_tool_version NAME OLD NEW [--dry-run] …`, or `--rollback ID`."""

    help = (
        "Deprecate OLD and move the agents that are bound to it and whose range allows NEW; an incompatible "
        "migration is refused with its reasons. A second run changes nothing; --rollback ID takes it back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take which versions, and which agents."""
        parser.add_argument("name", nargs="?", help="[provider/]name")
        parser.add_argument("old", nargs="?")
        parser.add_argument("new", nargs="?")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done")
        parser.add_argument("--agents", nargs="+", default=[], metavar="AGENT", help="client ids or names")
        parser.add_argument("--percent", type=int, default=100, help="this share of the agents, 1 to 100")
        parser.add_argument("--accept-review", action="store_true", help="somebody has looked at the changes")
        parser.add_argument("--rollback", type=int, metavar="ID", help="take a migration back")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, and report who moved, who could not, and why."""
        try:
            if options["rollback"] is not None:
                self._roll_back(options["rollback"])
            else:
                self._migrate(_asked(options), is_dry=options["dry_run"])
        except ToolrosterError as error:
            said = [error.detail, *(f"  {fault.pointer}: {fault.detail}" for fault in error.errors)]
            raise CommandError("\n".join(said)) from error

    def _migrate(self, asked: Asked, *, is_dry: bool) -> None:
        with _Bar() as progress:
            if is_dry:
                outcome = migrating.plan(asked, progress=progress)
            else:
                outcome = migrating.migrate(asked, now=timezone.now(), by=_ME, progress=progress)
        self._tell(outcome, asked, is_dry=is_dry)

    def _tell(self, outcome: Outcome, asked: Asked, *, is_dry: bool) -> None:
        for one in outcome.agents:
            said = one.as_json()
            self.stdout.write(f"{said['name']} ({said['ref']}): {said['detail']}")
        would = "would be " if is_dry else ""
        stayed = len(outcome.agents) - outcome.moved
        self.stdout.write(f"{outcome.moved} {would}moved to {asked.new.version}, {stayed} {would or ''}left.")
        if outcome.deprecates:
            self.stdout.write(f"{asked.old.tool_id} {would or 'is '}deprecated.")
        if outcome.migration is not None:
            self.stdout.write(f"Take it back with --rollback {outcome.migration.pk}.")

    def _roll_back(self, number: int) -> None:
        rows = migrating.roll_back(number, now=timezone.now(), by=_ME)
        for row in rows:
            self.stdout.write(f"{row.application.name} ({row.ref}): moved back")
        self.stdout.write(f"{len(rows)} moved back.")


def _asked(options: dict[str, Any]) -> Asked:
    if not (options["name"] and options["old"] and options["new"]):
        raise CommandError("Name the tool, the old and the new version.")
    if not 1 <= options["percent"] <= 100:
        raise CommandError("--percent is 1 to 100.")
    named = resolution.tool_of(options["name"], principal=everything())
    return Asked(
        governing.version(named, options["old"]),
        governing.version(named, options["new"]),
        agents=frozenset(options["agents"]),
        percent=options["percent"],
        accept_review=options["accept_review"],
        switches=conf.compatibility_switches(),
    )


class _Bar:
    """A progress bar that knows its length with the first agent."""

    def __init__(self) -> None:
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self._judged

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.render_finish()

    def _judged(self, place: int, of: int) -> None:
        if self._bar is None:
            self._bar = click.progressbar(length=of, label="agents", file=sys.stderr)
        self._bar.update(1)
