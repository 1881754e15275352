"""The router (seeds/004): agents never call a tool directly; it resolves, falls back, guards and calls.

`Router` and `AsyncRouter` are for agents, and need the extra `router`; the platform puts an `Engine` together
from parts of its own.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolroster.routing.result import ToolResult
    from toolroster.routing.router import AsyncRouter, Router

_WHERE = {"AsyncRouter": "router", "Router": "router", "ToolResult": "result"}

__all__ = ["AsyncRouter", "Router", "ToolResult"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name not in {"aiohttp", "limits"}:
            raise
        raise ImportError(f"{name} needs {error.name}: pip install 'toolroster[router]'.") from error
