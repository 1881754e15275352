"""Say which published versions change more than their numbers say, or what changed between two."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from oauth.principal import everything
from registry import conf
from registry.services import comparing
from toolroster.compat import Change, Verdict
from toolroster.errors import ToolrosterError


class Command(BaseCommand):
    """`manage.py check_compatibility [--name NAME]`, or `OLD NEW` for two tool ids or references."""

    help = (
        "Compare OLD with NEW (tool ids or references); without them every published release with the one "
        "before it. Exit code 1: a version number does not carry the changes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take two versions, or what to look through."""
        parser.add_argument("versions", nargs="*", metavar="OLD NEW")
        parser.add_argument("--name", default="", help="only the tools of this name")
        parser.add_argument("--json", action="store_true", help="print a JSON object for each line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Compare and print."""
        if len(options["versions"]) not in {0, 2}:
            raise CommandError("Name two versions, or none to look through all.")
        try:
            found = list(_found(options["versions"], options["name"]))
        except ToolrosterError as error:
            raise CommandError(error.detail) from error
        for tool_id, verdict in found:
            if options["json"]:
                self.stdout.write(json.dumps({"tool_id": tool_id, **verdict.as_json()}, ensure_ascii=False))
            elif options["versions"] or not verdict.is_sufficient:
                self._tell(tool_id, verdict)
        too_low = sum(not verdict.is_sufficient for _, verdict in found)
        if too_low:
            raise CommandError(f"{too_low} of {len(found)} comparisons need a higher version.")
        if not options["json"]:
            self.stdout.write(f"{len(found)} comparisons: every version carries its changes.")

    def _tell(self, tool_id: str, verdict: Verdict) -> None:
        report = verdict.report
        self.stdout.write(
            f"{tool_id}: {report.classification} since {verdict.compared_with},"
            f" needs {report.suggested_version}"
        )
        for change in (*report.breaking_changes, *report.warnings, *report.info):
            self.stdout.write(f"  {_line(change)}")


def _found(versions: list[str], name: str) -> list[tuple[str, Verdict]]:
    switches = conf.compatibility_switches()
    if not versions:
        return list(comparing.history(switches=switches, name=name))
    old, new = versions
    return [(new, comparing.verdict(old, new, principal=everything(), switches=switches))]


def _line(change: Change) -> str:
    return f"{change.classification}: {change.message} [{change.rule_id}]"
