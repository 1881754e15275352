"""What a comparison says."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from toolroster.compat.policy import CompatPolicy
from toolroster.compat.proof.refusal import NO_VALUE

Classification = Literal["breaking", "warning", "info", "none"]
Certainty = Literal["proven", "unproven"]
CLASSIFICATIONS: tuple[Classification, ...] = ("breaking", "warning", "info", "none")


_PLACES = {
    "tool_renamed": "/name",
    "capability": "/capabilities/categories",
    "scope": "/scopes",
    "approval": "/policy/requires_approval",
    "role": "/policy/allowed_roles",
    "policy": "/policy",
    "endpoint": "/endpoint",
    "transport": "/endpoint",
    "read_only_withdrawn": "/capabilities/read_only",
    "destructive_set": "/capabilities/destructive",
    "idempotent_withdrawn": "/capabilities/idempotent",
    "open_world_set": "/capabilities/open_world",
    "annotation": "/capabilities",
    "description": "/description",
}
"""Where a change of the tool itself is, by its kind or the first word of that."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; `path` is that of a parameter (`customer.email`, `tags[]`), "" for the tool itself.

    `kind` names the difference and is stable; `witness` is a call that was taken and is taken no more, or an
    output that nobody had to expect. `certainty` is "unproven" where compatibility could not be proved.
    """

    kind: str
    path: str
    classification: Classification
    message: str
    old: Any = NO_VALUE
    new: Any = NO_VALUE
    certainty: Certainty = "proven"
    review_required: bool = False
    witness: Any = NO_VALUE
    renamed_to: str | None = None

    @property
    def rule_id(self) -> str:
        return f"compat/{self.kind.replace('_', '-')}"

    @property
    def pointer(self) -> str:
        """Where it is in the new document, as a JSON pointer (RFC 6901)."""
        subject = self.kind.partition("_")[0]
        root = {"param": "/input_schema", "output": "/output_schema"}.get(subject, "")
        if not root:
            return _PLACES.get(self.kind) or _PLACES.get(subject, "")
        steps = self.path.replace("[]", ".[]").split(".") if self.path else []
        return root + "".join("/items" if step == "[]" else f"/properties/{_escaped(step)}" for step in steps)

    def as_json(self) -> dict[str, Any]:
        """Return the change as a JSON object; what is not there is left out."""
        said: dict[str, Any] = {
            "kind": self.kind,
            "path": self.path,
            "class": self.classification,
            "message": self.message,
            "rule_id": self.rule_id,
            "certainty": self.certainty,
            "review_required": self.review_required,
        }
        given = {"old": self.old, "new": self.new, "witness": self.witness}
        said |= {name: value for name, value in given.items() if value is not NO_VALUE}
        return said | ({"renamed_to": self.renamed_to} if self.renamed_to else {})


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on a new version against an old one (seeds/004 CompatibilityReport).

    `suggested_version` is the lowest that may carry the changes. `review_required` is no class: a patch can
    be a rug pull.
    """

    old_version: str
    changes: tuple[Change, ...]
    suggested_version: str
    policy: CompatPolicy

    @property
    def classification(self) -> Classification:
        """The heaviest class of all changes."""
        found = {change.classification for change in self.changes}
        return next((one for one in CLASSIFICATIONS if one in found), "none")

    @property
    def is_compatible(self) -> bool:
        return self.classification != "breaking"

    @property
    def breaking_changes(self) -> list[Change]:
        return self._of("breaking")

    @property
    def warnings(self) -> list[Change]:
        return self._of("warning")

    @property
    def info(self) -> list[Change]:
        return self._of("info")

    @property
    def review_required(self) -> bool:
        return any(change.review_required for change in self.changes)

    @property
    def certainty(self) -> Certainty:
        """Whether every breaking change is one for certain."""
        return "unproven" if any(one.certainty == "unproven" for one in self.breaking_changes) else "proven"

    def _of(self, classification: Classification) -> list[Change]:
        return [change for change in self.changes if change.classification == classification]

    def as_json(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return {
            "is_compatible": self.is_compatible,
            "classification": self.classification,
            "breaking_changes": _as_json(self.breaking_changes),
            "warnings": _as_json(self.warnings),
            "info": _as_json(self.info),
            "old_version": self.old_version,
            "suggested_version": self.suggested_version,
            "certainty": self.certainty,
            "review_required": self.review_required,
            "policy": self.policy.as_json(),
        }


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _as_json(changes: Iterable[Change]) -> list[dict[str, Any]]:
    return [change.as_json() for change in changes]
