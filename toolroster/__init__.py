"""Provide and use versioned tools of LLM agents. Parts are loaded when they are first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from toolroster.access import Access
    from toolroster.client import AsyncRegistry, DiskCache, DynamicToolAgent, Registry
    from toolroster.provider import AgentTool, Param, Provider, ToolApp, agent_tool, scan

_WHERE = {
    "Access": "access",
    "AgentTool": "provider",
    "AsyncRegistry": "client",
    "DiskCache": "client",
    "DynamicToolAgent": "client",
    "Param": "provider",
    "Provider": "provider",
    "Registry": "client",
    "ToolApp": "provider",
    "agent_tool": "provider",
    "scan": "provider",
}

__all__ = [
    "Access",
    "AgentTool",
    "AsyncRegistry",
    "DiskCache",
    "DynamicToolAgent",
    "Param",
    "Provider",
    "Registry",
    "ToolApp",
    "__version__",
    "agent_tool",
    "scan",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value
