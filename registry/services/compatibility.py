"""Whether a version may be published under its number: it is compared with the release before it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from registry.models import Tool, ToolRegistration
from toolroster.compat import Change, CompatPolicy, Verdict, release_below, verdict
from toolroster.definition import ToolDefinition
from toolroster.errors import Fault, VersionTooLow

Enforcement = Literal["off", "warn", "enforce"]
Document = Mapping[str, Any] | ToolDefinition


@dataclass(frozen=True, slots=True)
class Rules:
    """What happens to a version that promises too much, and the switches of the comparison.

    `override` is an operator's reason to publish it all the same; it is kept with the event.
    """

    enforcement: Enforcement = "enforce"
    switches: CompatPolicy = field(default_factory=CompatPolicy)
    override: str = ""


@dataclass(slots=True)
class _Published:
    """What there is of a tool: every version, and the documents of those that versions are held against."""

    versions: set[str] = field(default_factory=set)
    promising: dict[str, int | None] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)


class Releases:
    """What is published of the tools of a batch, and what comes to be in it.

    `definitions` are what will be compared: the documents that they need are read at once.
    """

    def __init__(self, definitions: Iterable[ToolDefinition]) -> None:
        self._wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for definition in definitions:
            self._wanted[definition.provider, definition.name].append(definition.version)
        self._found: dict[int, _Published] = {}

    def load(self, tools: Sequence[Tool]) -> None:
        """Lock tools of one provider and read what is published of them, unless that was done before.

        Locked, so that of two who publish at the same time the second one is compared with the first.
        """
        new = {tool.pk: tool for tool in tools if tool.pk not in self._found}
        if not new:
            return
        locked = Tool.objects.filter(pk__in=new).order_by("pk").select_for_update(no_key=True)
        self._found |= {pk: _Published() for pk in locked.values_list("pk", flat=True)}
        published = ToolRegistration.objects.filter(of_tool__in=new)
        promising = set(published.promising().values_list("pk", flat=True))
        for tool, version, pk in published.values_list("of_tool", "version", "pk"):
            self._found[tool].versions.add(version)
            if pk in promising:
                self._found[tool].promising[version] = pk
        self._read(list(new.values()))

    def _read(self, tools: list[Tool]) -> None:
        """Read the documents that the wanted versions are compared with."""
        needed = {
            self._found[tool.pk].promising[below]: (tool.pk, below)
            for tool in tools
            for version in self._wanted[tool.provider.name, tool.name]
            if (below := self.before(tool, version)) is not None
        }
        rows = ToolRegistration.objects.filter(pk__in=[pk for pk in needed if pk is not None])
        for pk, text in rows.values_list("pk", "document_text"):
            tool_id, version = needed[pk]
            self._found[tool_id].documents[version] = orjson.loads(text)

    def add(self, tool: Tool, definition: ToolDefinition) -> None:
        """Note a version that comes to be."""
        found = self._found[tool.pk]
        found.versions.add(definition.version)
        found.promising[definition.version] = None
        found.documents[definition.version] = definition

    def versions(self, tool: Tool) -> Collection[str]:
        """Return the versions of a tool that are taken, also those that are retired or were rejected."""
        return self._found[tool.pk].versions

    def before(self, tool: Tool, version: str) -> str | None:
        """Return the release that a version of a tool is held against."""
        return release_below(version, self._found[tool.pk].promising)

    def document(self, tool: Tool, version: str) -> Document:
        """Return the document of such a release."""
        return self._found[tool.pk].documents[version]


def judge(tool: Tool, definition: ToolDefinition, releases: Releases, rules: Rules) -> Verdict | None:
    """Return what a version changes since the release before it; None where there is none.

    Raises:
        VersionTooLow: its changes need a higher version, and the rules are enforced.
    """
    base = releases.before(tool, definition.version) if rules.enforcement != "off" else None
    if base is None:
        return None
    found = verdict(
        old=releases.document(tool, base),
        new=definition,
        policy=rules.switches,
        published=releases.versions(tool),
    )
    if not found.is_sufficient and rules.enforcement == "enforce" and not rules.override:
        raise _too_low(definition, found)
    return found


def _too_low(definition: ToolDefinition, found: Verdict) -> VersionTooLow:
    report, base = found.report, found.compared_with
    needed = report.suggested_version
    too_low = Fault("/version", "too_low", f"Publish it as {needed}, or keep what {base} promises.")
    return VersionTooLow(
        f"{definition.tool_id} needs the version {needed}: what it changes since {base} is"
        f" {_CLASSES[report.classification]}.",
        errors=[too_low, *faults(report.breaking_changes or report.warnings or report.info)],
        extra={"use_version": needed, "compatibility": found.as_json()},
    )


_CLASSES = {"breaking": "breaking", "warning": "new to callers", "info": "a fix", "none": "nothing"}


def override_event(found: Verdict | None, rules: Rules) -> dict[str, Any]:
    """Return what the event of a version says that only an operator could publish."""
    if found is None or found.is_sufficient or not rules.override:
        return {}
    needed = found.report.suggested_version
    return {"compatibility_override": {"reason": rules.override, "needed_version": needed}}


def faults(changes: Iterable[Change]) -> list[Fault]:
    """Return changes as the faults of a problem, each at its place in the new document."""
    return [Fault(change.pointer, change.kind, change.message) for change in changes]
