"""Whether the number of a version carries what the version changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolroster import semver
from toolroster.compat.compare import compare
from toolroster.compat.policy import CompatPolicy
from toolroster.compat.report import Report
from toolroster.compat.suggestion import carries
from toolroster.definition import ToolDefinition

Document = Mapping[str, Any] | ToolDefinition


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a version changes since another one."""

    report: Report
    compared_with: str
    is_sufficient: bool

    def as_json(self) -> dict[str, Any]:
        """Return the report, with what was compared and whether the version carries it."""
        more = {"compared_with": self.compared_with, "version_is_sufficient": self.is_sufficient}
        return self.report.as_json() | more


def verdict(
    *, old: Document, new: Document, policy: CompatPolicy | None = None, published: Iterable[str] = ()
) -> Verdict:
    """Compare two documents, and the version of the new one with what its changes need."""
    switches = policy or CompatPolicy()
    report = compare(old=old, new=new, policy=switches, published=tuple(published))
    base, version = _version(old), _version(new)
    shifts = switches.zero_major_policy == "shift"
    return Verdict(report, base, carries(version, base, report.classification, shifts=shifts))


def release_below(version: str, published: Iterable[str]) -> str | None:
    """Return what a version is held against: the highest release below it. Prereleases promise nothing."""
    key = semver.version_key(version)
    lower = [
        one for one in published if semver.version_key(one) < key and not semver.parse_version(one).prerelease
    ]
    return max(lower, key=semver.version_key, default=None)


def _version(document: Document) -> str:
    if isinstance(document, ToolDefinition):
        return document.version
    return str(document.get("version") or "1.0.0")
