"""The memory as tools of the registry: their documents, with endpoints at the platform itself."""

from typing import Any

from toolroster.agents.memory import RECENT
from toolroster.agents.memory_client import MOST_CHARACTERS, SCOPE

PROVIDER = "memory-service"
MODEL_SECONDS = 20.0
"""How long a reader waits for a summary of the model at the most; then sentences are picked."""

_AGENT = {
    "name": "agent_id",
    "type": "string",
    "minLength": 1,
    "maxLength": 255,
    "description": "Name of the agent whose memory it is.",
    "required": True,
}
_SESSION = {
    "name": "session_id",
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "Id of the session; what is remembered of one session is not seen in another.",
    "required": True,
}
_TURN = {
    "name": "turn_id",
    "type": "integer",
    "minimum": 0,
    "maximum": 1_000_000_000,
    "description": "Number of the turn; the same turn again replaces what was said in it.",
    "required": True,
}
_MESSAGE = {
    "name": "message",
    "type": "string",
    "maxLength": MOST_CHARACTERS,
    "description": "What the agent said in this turn.",
    "required": True,
}
_RECENT = {
    "name": "recent",
    "type": "integer",
    "minimum": 1,
    "maximum": 100,
    "default": RECENT,
    "description": "How many of the last messages come back word for word.",
    "required": False,
}


def documents(base_url: str) -> list[dict[str, Any]]:
    """Return the registration documents of both tools, served below an address of the platform."""
    return [_tool(base_url, **one) for one in (_STORE, _READ)]


def _tool(base_url: str, **about: Any) -> dict[str, Any]:
    return {
        "provider": PROVIDER,
        "version": "1.0.0",
        "scopes": [SCOPE],
        "endpoint": {"url": f"{base_url}/api/memory/{about['name']}"},
        "liveness": "none",
        **about,
    }


_STORE: dict[str, Any] = {
    "name": "store_memory",
    "display_name": "Store memory",
    "description": "Keep what an agent said in one turn of a session, so that it can be remembered later. "
    "The same turn again replaces it. Not for facts that other sessions need: nothing of it is seen there.",
    "returns": "The turn that is remembered now",
    "examples": [
        "Remember what I said in this turn",
        "Merk dir, was ich in dieser Runde gesagt habe",
        "记住我这一轮说的话",
    ],
    "parameters": [_AGENT, _TURN, _MESSAGE, _SESSION],
    "output_schema": {
        "type": "object",
        "properties": {"turn_id": {"type": "integer", "description": "The turn that is remembered now."}},
        "required": ["turn_id"],
    },
    "capabilities": {
        "categories": ["memory"],
        "tags": ["session", "store"],
        "idempotent": True,
        "read_only": False,
        "destructive": True,  # what was remembered of the same turn is replaced
        "open_world": False,
        "avg_latency_ms": 20,
    },
}

_READ: dict[str, Any] = {
    "name": "get_compressed_memory",
    "display_name": "Get compressed memory",
    "description": "Return what an agent said in a session: the last messages word for word, and a summary "
    "of those before them. Use it before the agent speaks again; not for what other agents said: it holds "
    "only the words of one agent.",
    "returns": "Summary of the older messages, the recent messages, and how many there are",
    "examples": [
        "What did the planner say so far in this session?",
        "Woran erinnert sich der Agent aus dieser Sitzung?",
        "这个智能体在本次会话里说过什么？",  # noqa: RUF001 - the punctuation of the language
    ],
    "parameters": [_AGENT, _SESSION, _RECENT],
    "output_schema": {
        "type": "object",
        "properties": {
            "summary": {"type": "string", "description": "Of the messages before the recent ones."},
            "recent": {
                "type": "array",
                "description": "The last messages, the oldest of them first.",
                "items": {
                    "type": "object",
                    "properties": {
                        "agent_id": {"type": "string"},
                        "turn_id": {"type": "integer"},
                        "message": {"type": "string"},
                    },
                    "required": ["agent_id", "turn_id", "message"],
                },
            },
            "total": {"type": "integer", "description": "How many messages are remembered."},
        },
        "required": ["summary", "recent", "total"],
    },
    "capabilities": {
        "categories": ["memory"],
        "tags": ["session", "summary"],
        "idempotent": True,
        "read_only": True,
        "destructive": False,
        "open_world": False,
        "avg_latency_ms": 50,
    },
    "policy": {"timeout_ms": 30_000},  # a model may summarize
}
