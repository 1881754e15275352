"""Make registrations as the registry serves them."""

from typing import Any

from demo.catalogue import probe_documents
from tests.toolroster.documents import make_schema
from toolroster.definition import ToolDefinition

Json = Any


def make_registration(name: str = "send_email", status: str = "ACTIVE", **fields: Any) -> dict[str, Any]:
    definition = ToolDefinition.parse({"provider": "mail", "name": name, **fields})
    return {"tool_id": definition.tool_id, **definition.document(), "status": status, "lifecycle": status}


def make_registration_of(
    properties: dict[str, Any] | None = None, name: str = "send_email", **keywords: Any
) -> dict[str, Any]:
    return make_registration(name, input_schema=make_schema(properties, **keywords))


def probe_registrations() -> list[dict[str, Any]]:
    definitions = [ToolDefinition.parse(document) for document in probe_documents()]
    return [{"tool_id": one.tool_id, **one.document(), "status": "ACTIVE"} for one in definitions]
