"""Choose what to offer of many registrations: one version for each name, in the categories asked for."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Self

from toolroster import parameters
from toolroster.errors import DocumentInvalid, Fault
from toolroster.reference import make_tool_id
from toolroster.semver import parse_version, version_key

_CALLABLE = {"DEPRECATED": 0, "ACTIVE": 1}


@dataclass(frozen=True, slots=True)
class Offer:
    """A registration as the formats read it."""

    tool_id: str
    provider: str
    name: str
    version: str
    status: str
    document: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, document: Any, index: int) -> Self:
        """Read a registration; one without a status, as `ToolDefinition.document()` gives it, is ACTIVE.

        Raises:
            DocumentInvalid: it has no name.
        """
        name = document.get("name") if isinstance(document, dict) else None
        if not isinstance(name, str):
            where = f"/tools/{index}/name"
            raise DocumentInvalid(
                f"{where}: A registration has a name.", errors=[Fault(where, "missing", "Send its name.")]
            )
        provider, version = document.get("provider") or "unknown", document.get("version") or "1.0.0"
        tool_id = document.get("tool_id") or make_tool_id(provider, name, version)
        status = document.get("status") or document.get("lifecycle") or "ACTIVE"
        return cls(tool_id, provider, name, version, status, document)

    @property
    def key(self) -> tuple[str, str]:
        return self.provider, self.name

    @property
    def place(self) -> tuple[str, str]:
        """The place in every list: by name, and never by who came first."""
        return self.name, self.provider

    @property
    def is_callable(self) -> bool:
        return self.status in _CALLABLE

    @property
    def rank(self) -> tuple[int, bool, str, str]:
        """Active before deprecated, releases before prereleases, then the higher version.

        Versions that differ in build metadata alone have one precedence; their text decides.
        """
        is_release = not parse_version(self.version).prerelease
        return _CALLABLE[self.status], is_release, version_key(self.version), self.version

    @property
    def description(self) -> str:
        return self.document.get("description") or self.document.get("display_name") or ""

    @property
    def input_schema(self) -> dict[str, Any]:
        listed = self.document.get("parameters") or []
        schema: dict[str, Any] = self.document.get("input_schema") or parameters.to_schema(listed)
        return schema

    @property
    def parameters(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.document.get("parameters") or []
        return listed or parameters.from_schema(self.input_schema)[0]

    @property
    def capabilities(self) -> dict[str, Any]:
        return self.document.get("capabilities") or {}


def chosen(offers: Iterable[Offer], categories: Collection[str]) -> list[Offer]:
    """Return the best callable version of each tool, in the order in which their tools first came.

    No category means all, several mean any of them. The version decides in which categories a tool is,
    so that an old one does not come back through a category that its successor left.
    """
    best: dict[tuple[str, str], Offer] = {}
    for offer in offers:
        if offer.is_callable:
            best[offer.key] = max(best.get(offer.key, offer), offer, key=lambda one: one.rank)
    wanted = set(categories)
    return [o for o in best.values() if not wanted or wanted & set(o.capabilities.get("categories") or [])]
