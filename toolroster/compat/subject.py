"""Read a registration document for a comparison; what it does not say has the document's defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from toolroster import parameters
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid, Fault

_TYPES: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "version": str,
    "description": str,
    "parameters": list,
    "input_schema": dict,
    "output_schema": dict,
    "scopes": list,
    "capabilities": dict,
    "policy": dict,
    "endpoint": dict,
}
Document = Mapping[str, Any] | ToolDefinition


@dataclass(frozen=True, slots=True)
class Subject:
    """One version of a tool, as far as its callers care."""

    document: Mapping[str, Any] = field(repr=False)
    input_schema: dict[str, Any] = field(repr=False)
    output_schema: dict[str, Any] | None = field(repr=False)

    @classmethod
    def of(cls, document: Any, where: str) -> Self:
        """Read a document, checked or as it was sent; `where` is its name in errors.

        Raises:
            DocumentInvalid: a field of it is of another type than it has to be.
        """
        if isinstance(document, ToolDefinition):
            return cls(document.document(), document.input_schema, document.output_schema)
        if not isinstance(document, Mapping):
            fault = Fault(f"/{where}", "not_an_object", "Send a registration document.")
            raise DocumentInvalid(f"{fault.pointer}: {fault.detail}", errors=[fault])
        _check(document, where)
        listed = document.get("parameters") or []
        schema = document.get("input_schema") or parameters.to_schema(listed)
        return cls(document, {"type": "object", **schema}, document.get("output_schema"))

    @property
    def version(self) -> str:
        return str(self.document.get("version") or "1.0.0")

    def part(self, name: str) -> Mapping[str, Any]:
        """Return a part of the document, {} where it is absent."""
        found: Mapping[str, Any] = self.document.get(name) or {}
        return found

    @property
    def is_deprecated(self) -> bool:
        said = {self.document.get("lifecycle"), self.document.get("status")}
        return self.document.get("deprecated") is True or "DEPRECATED" in said


def _check(document: Mapping[str, Any], where: str) -> None:
    wrong = [
        Fault(f"/{where}/{name}", "type", f"`{name}` is of another type.")
        for name, kind in _TYPES.items()
        if document.get(name) is not None and not isinstance(document[name], kind)
    ]
    wrong += [
        Fault(f"/{where}/parameters/{place}", "type", "A parameter is an object with a name.")
        for place, one in enumerate(document.get("parameters") or [] if not wrong else [])
        if not (isinstance(one, dict) and isinstance(one.get("name"), str))
    ]
    if wrong:
        raise DocumentInvalid(f"{wrong[0].pointer}: {wrong[0].detail}", errors=wrong)
