"""The lock file: what references meant when they were locked, and what has changed since.

    {"lockfile_version": 1, "registry": "https://…", "tools": {"mail-team/send_email@^1.0": {
        "tool_id": "mail-team:send_email:1.2.0", "contract_hash": "…", "description_hash": "…"}}}

Both hashes are SHA-256 (hex), made here from the document: of the contract, which never changes in a
version, and of the words, which a model acts on and which may change in place.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from toolroster.contract import contract_hash
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid, Fault
from toolroster.farewell import farewell
from toolroster.words import PresentationWords

VERSION = 1
Drift = Literal["contract", "words", "gone", "deprecated", "yanked", "newer"]
SERIOUS: frozenset[Drift] = frozenset({"contract", "words", "gone"})
"""What a locked agent must not run into unseen; the others are news."""


@dataclass(frozen=True, slots=True)
class Locked:
    """What a reference meant."""

    tool_id: str
    contract_hash: str
    description_hash: str

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Lock a registration as it is served; what a later registry says beside it is left alone."""
        known = ToolDefinition.model_fields.keys() | {"parameters"}
        definition = ToolDefinition.parse({k: v for k, v in document.items() if k in known})
        return cls(definition.tool_id, contract_hash(definition), description_hash(definition))

    @property
    def version(self) -> str:
        return self.tool_id.split(":", 2)[2]

    def as_json(self) -> dict[str, str]:
        """Return it as it stands in the file."""
        return {
            "tool_id": self.tool_id,
            "contract_hash": self.contract_hash,
            "description_hash": self.description_hash,
        }


def description_hash(definition: ToolDefinition) -> str:
    """Return the SHA-256 (hex) of the words of a definition."""
    words = PresentationWords.of(definition).as_json()
    text = json.dumps(words, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class LockFile:
    """References, and what they meant at a registry."""

    registry: str
    tools: dict[str, Locked]

    def to_text(self) -> str:
        """Return the file: the same text for the same tools, for a clear difference under version control."""
        tools = {ref: self.tools[ref].as_json() for ref in sorted(self.tools)}
        content = {"lockfile_version": VERSION, "registry": self.registry, "tools": tools}
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, content: Any) -> Self:
        """Read the JSON value of a file.

        Raises:
            DocumentInvalid: it is no lock file, or of another version.
        """
        try:
            if content["lockfile_version"] != VERSION:
                raise ValueError(f"lockfile_version is not {VERSION}")  # noqa: TRY301 - told like the others
            tools = {str(ref): _locked(one) for ref, one in content["tools"].items()}
            return cls(str(content["registry"]), tools)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            fault = Fault("", "no_lock_file", f"It is no lock file of toolroster: {error}.")
            raise DocumentInvalid(fault.detail, errors=[fault]) from error


def _locked(one: Mapping[str, Any]) -> Locked:
    texts = [one["tool_id"], one["contract_hash"], one["description_hash"]]
    if not all(isinstance(text, str) for text in texts) or texts[0].count(":") < 2:
        raise ValueError("a tool is not described")
    return Locked(*texts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that has changed since a reference was locked."""

    ref: str
    drift: Drift
    message: str

    @property
    def is_serious(self) -> bool:
        return self.drift in SERIOUS

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"ref": self.ref, "drift": self.drift, "message": self.message, "serious": self.is_serious}


def drifts(
    ref: str, locked: Locked, served: Mapping[str, Any] | None, latest: Mapping[str, Any] | None = None
) -> list[Finding]:
    """Return what has changed: `served` is the locked version now, None where it is gone.

    `latest` is what the reference means now, None where that is not known.
    """
    if served is None:
        return [Finding(ref, "gone", f"{locked.tool_id} is not served any more.")]
    now = Locked.of(served)
    found: list[Finding] = []
    if now.contract_hash != locked.contract_hash:
        found.append(Finding(ref, "contract", f"{locked.tool_id} has another contract than was locked."))
    if now.description_hash != locked.description_hash:
        found.append(Finding(ref, "words", f"{locked.tool_id} is described in other words than were locked."))
    if (said := farewell(served)) is not None:
        found.append(Finding(ref, *said))
    return [*found, *_newer(ref, locked, latest)]


def _newer(ref: str, locked: Locked, latest: Mapping[str, Any] | None) -> list[Finding]:
    if latest is None or latest.get("tool_id") == locked.tool_id:
        return []
    return [Finding(ref, "newer", f"{ref} means {latest.get('tool_id')} now, {locked.tool_id} is locked.")]
