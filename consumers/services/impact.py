"""Who uses a tool, and who would break."""

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from consumers.models import ToolBinding
from oauth.models import Application
from registry.models import Tool, ToolRegistration, ToolUse
from registry.services.rendering import timestamp
from toolroster.compat import CompatPolicy, Report, compare
from toolroster.definition import ToolDefinition


@dataclass(slots=True)
class Consumer:
    """An agent that is bound to a tool, uses it, or both."""

    application: Application
    binding: ToolBinding | None = None
    uses: list[ToolUse] = field(default_factory=list)

    @property
    def versions(self) -> dict[int, ToolRegistration]:
        """The versions that it is bound to or uses."""
        bound = [self.binding.bound] if self.binding else []
        return {row.pk: row for row in (*bound, *(use.registration for use in self.uses))}

    def as_json(self) -> dict[str, Any]:
        """Return who it is, what it declared, and what it really did."""
        return {
            "client_id": self.application.client_id,
            "name": self.application.name,
            "ref": self.binding.ref if self.binding else None,
            "bound": self.binding.bound.tool_id if self.binding else None,
            "uses": [
                {
                    "tool_id": use.registration.tool_id,
                    "kind": use.kind,
                    "count": use.count,
                    "first_at": timestamp(use.first_at),
                    "last_at": timestamp(use.last_at),
                }
                for use in self.uses
            ],
        }


def consumers(tool: Tool) -> list[Consumer]:
    """Return the agents of a tool by their names; who used it without a token is nobody in particular."""
    found: dict[int, Consumer] = {}
    for binding in ToolBinding.objects.whole().filter(tool=tool):
        found[binding.application_id] = Consumer(binding.application, binding)
    uses = ToolUse.objects.filter(registration__of_tool=tool, application__isnull=False)
    for use in uses.select_related("application", "registration").order_by("-last_at", "pk"):
        application: Any = use.application
        found.setdefault(application.pk, Consumer(application)).uses.append(use)
    return sorted(found.values(), key=lambda one: (one.application.name, one.application.client_id))


@dataclass(frozen=True, slots=True)
class Affected:
    """What a document would mean for one consumer: a report for each version that it is on."""

    consumer: Consumer
    reports: dict[str, Report]

    @property
    def would_break(self) -> bool:
        return any(not report.is_compatible for report in self.reports.values())

    def as_json(self) -> dict[str, Any]:
        """Return the consumer with the breaking changes by its versions."""
        breaking = {
            tool_id: [change.as_json() for change in report.breaking_changes]
            for tool_id, report in self.reports.items()
        }
        more = {"would_break": self.would_break, "breaking_changes": breaking}
        return self.consumer.as_json() | more


def affected(tool: Tool, definition: ToolDefinition, *, switches: CompatPolicy) -> list[Affected]:
    """Return what a document would mean for each consumer of a tool; each version is compared once."""

    @cache
    def report(registration_id: int) -> Report:
        return compare(old=documents[registration_id], new=definition, policy=switches)

    found = consumers(tool)
    versions = {pk: row for one in found for pk, row in one.versions.items()}
    documents = {pk: row.document for pk, row in versions.items()}
    return [Affected(one, {row.tool_id: report(row.pk) for row in one.versions.values()}) for one in found]
