"""A tool as seeds/000 shows it: eight keys, and an address that plain HTTP can express."""

from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from django.conf import settings

from registry.api.call import Call
from registry.models import ToolRegistration
from registry.services import catalogue

SERVICE = "Tool Discovery Server (MCP)"


def seed_tools(call: Call) -> tuple[dict[str, dict[str, Any]], list[ToolRegistration]]:
    """Return the flat list by unique names, and its rows: newest live stable versions.

    What plain HTTP cannot express is called through us, at `/call/{name}`; where we are reached by HTTPS
    alone it is left out.
    """
    found = catalogue.newest_per_tool(principal=call.principal, cutoff=call.seen.cutoff)
    placed = [(name, row, url) for name, row in found.items() if (url := _address(name, row)) is not None]
    return {name: _seed_tool(name, row, url) for name, row, url in placed}, [row for _, row, _ in placed]


def _address(name: str, row: ToolRegistration) -> SplitResult | None:
    """Return where a tool is called over plain HTTP, None for nowhere; addresses hold no credentials."""
    endpoint = row.document["endpoint"]
    if not endpoint or endpoint["transport"] != "http":
        return None
    url = urlsplit(endpoint["url"])
    if url.scheme == "http":
        return None if "@" in url.netloc else url
    ours = urlsplit(settings.PUBLIC_URL)
    return ours._replace(path=f"{ours.path}/call/{quote(name)}") if ours.scheme == "http" else None


def _seed_tool(name: str, row: ToolRegistration, url: SplitResult) -> dict[str, Any]:
    return {
        "name": name,
        "endpoint": (url.path or "/") + (f"?{url.query}" if url.query else ""),
        "scopes": row.scopes,
        "description": row.document["description"],
        "parameters": {item["name"]: _seed_parameter(item) for item in row.document["parameters"]},
        "returns": row.document["returns"],
        "host": f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname,
        "port": url.port or 80,
    }


def _seed_parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    types = parameter.get("type", "any")
    named = [one for one in types if one != "null"] if isinstance(types, list) else [types]
    return {
        "type": (named or ["null"])[0],
        "description": parameter.get("description", ""),
        "required": parameter["required"],
    }
