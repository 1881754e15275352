"""A tool as seeds/000 shows it: eight keys, and an address that plain HTTP can express."""

from typing import Any
from urllib.parse import urlsplit

from registry.api.call import Call
from registry.models import ToolRegistration
from registry.services import catalogue

SERVICE = "Tool Discovery Server (MCP)"


def seed_tools(call: Call) -> tuple[dict[str, dict[str, Any]], list[ToolRegistration]]:
    """Return the flat list by unique names, and its rows: newest live stable versions for plain HTTP."""
    found = catalogue.newest_per_tool(principal=call.principal, cutoff=call.seen.cutoff)
    rows = {name: row for name, row in found.items() if _is_plain_http(row)}
    return {name: _seed_tool(name, row) for name, row in rows.items()}, list(rows.values())


def _is_plain_http(row: ToolRegistration) -> bool:
    """Tell whether host, port and path can say where the tool is called; they hold no credentials."""
    endpoint = row.document["endpoint"]
    if not endpoint or endpoint["transport"] != "http":
        return False
    url = urlsplit(endpoint["url"])
    return url.scheme == "http" and "@" not in url.netloc


def _seed_tool(name: str, row: ToolRegistration) -> dict[str, Any]:
    url = urlsplit(row.document["endpoint"]["url"])
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
