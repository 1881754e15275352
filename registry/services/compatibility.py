"""Whether a version may be published under its number: it is compared with the release before it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from registry.models import Tool, ToolRegistration
from toolroster import semver
from toolroster.compat import Change, CompatPolicy, Verdict, verdict
from toolroster.definition import ToolDefinition
from toolroster.errors import Fault, VersionTooLow

Enforcement = Literal["off", "warn", "enforce"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What happens to a version that promises too much, and the switches of the comparison.

    `override` is an operator's reason to publish it all the same; it is kept with the event.
    """

    enforcement: Enforcement = "enforce"
    switches: CompatPolicy = field(default_factory=CompatPolicy)
    override: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """A published version; `document` is there where something is compared with it."""

    version: str
    registration_id: int | None = None
    document: Mapping[str, Any] | ToolDefinition | None = field(default=None, repr=False)

    @property
    def key(self) -> str:
        return semver.version_key(self.version)


class Releases:
    """What is published of the tools of a batch and not retired, and what comes to be in it.

    `definitions` are what will be compared: the documents that they need are read at once.
    """

    def __init__(self, definitions: Iterable[ToolDefinition]) -> None:
        self._wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
        for definition in definitions:
            self._wanted[definition.provider, definition.name].append(definition.version)
        self._found: dict[int, list[Release]] = {}

    def load(self, tools: Sequence[Tool]) -> None:
        """Lock tools of one provider and read what is published of them, unless that was done before.

        Locked, so that of two who publish at the same time the second one is compared with the first.
        """
        new = {tool.pk: tool for tool in tools if tool.pk not in self._found}
        if not new:
            return
        locked = Tool.objects.filter(pk__in=new).order_by("pk").select_for_update(no_key=True)
        self._found |= {pk: [] for pk in locked.values_list("pk", flat=True)}
        published = ToolRegistration.objects.filter(of_tool__in=new).promising()
        for tool, version, pk in published.values_list("of_tool", "version", "pk"):
            self._found[tool].append(Release(version, pk))
        self._read(list(new.values()))

    def _read(self, tools: list[Tool]) -> None:
        """Read the documents that the wanted versions are compared with."""
        needed = [
            release.registration_id
            for tool in tools
            for version in self._wanted[tool.provider.name, tool.name]
            if (release := self.before(tool, version)) and release.registration_id is not None
        ]
        rows = ToolRegistration.objects.filter(pk__in=needed)
        texts = dict(rows.values_list("pk", "document_text"))
        for tool in tools:
            self._found[tool.pk] = [_with_document(release, texts) for release in self._found[tool.pk]]

    def add(self, tool: Tool, definition: ToolDefinition) -> None:
        """Note a version that comes to be."""
        self._found.setdefault(tool.pk, []).append(Release(definition.version, document=definition))

    def versions(self, tool: Tool) -> tuple[str, ...]:
        """Return the versions of a tool."""
        return tuple(release.version for release in self._found.get(tool.pk, ()))

    def before(self, tool: Tool, version: str) -> Release | None:
        """Return the highest release below a version; prereleases promise nothing."""
        return highest_below(version, self._found.get(tool.pk, ()))


def highest_below(version: str, releases: Iterable[Release]) -> Release | None:
    """Return the highest of releases that is no prerelease and lower than a version."""
    key = semver.version_key(version)
    lower = [one for one in releases if one.key < key and not semver.parse_version(one.version).prerelease]
    return max(lower, key=lambda release: release.key, default=None)


def _with_document(release: Release, texts: dict[int, str]) -> Release:
    text = texts.get(release.registration_id or 0)
    return release if text is None else replace(release, document=orjson.loads(text))


def judge(tool: Tool, definition: ToolDefinition, releases: Releases, rules: Rules) -> Verdict | None:
    """Return what a version changes since the release before it; None where there is none.

    Raises:
        VersionTooLow: its changes need a higher version, and the rules are enforced.
    """
    release = releases.before(tool, definition.version) if rules.enforcement != "off" else None
    if release is None or release.document is None:
        return None
    found = verdict(
        old=release.document, new=definition, policy=rules.switches, published=releases.versions(tool)
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
