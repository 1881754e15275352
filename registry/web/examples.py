"""Values for the command lines of the docs page, by the ids of operations and the names of path parts."""

from typing import Any

_TOOL_ID = "mail-team:send_email:1.0.0"

PATHS = {"tool_id": _TOOL_ID, "provider": "mail-team", "name": "send_email"}

QUERIES: dict[str, dict[str, str]] = {
    "available": {"category": "communication", "limit": "20"},
    "resolve": {"ref": "mail-team/send_email@^1"},
}

BODIES: dict[str, Any] = {
    "register": {
        "provider": "mail-team",
        "name": "send_email",
        "version": "1.0.0",
        "description": "Send an e-mail to one recipient.",
        "examples": ["write to Anna that the meeting moved"],
        "parameters": [
            {"name": "to", "type": "string", "format": "email", "description": "Address.", "required": True},
            {"name": "text", "type": "string", "description": "What to write.", "required": True},
        ],
        "scopes": ["email:send"],
        "endpoint": {"url": "http://localhost:8002/send-email"},
        "capabilities": {"categories": ["communication"]},
    },
    "heartbeat": {"tool_ids": [_TOOL_ID], "provider_instance": "mail-1"},
    "deregister": {"tool_ids": [_TOOL_ID], "provider_instance": "mail-1"},
    "search": {"query": "tell a colleague something by mail", "top_k": 3},
    "seed_register": {
        "name": "send_email",
        "endpoint": "/send-email",
        "scopes": ["email:send"],
        "description": "Send an e-mail to one recipient.",
        "parameters": {"to": {"type": "string", "description": "Address.", "required": True}},
    },
}
