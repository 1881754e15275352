"""Provide tools: declare functions, keep them registered, and serve them.

`declared` has the decorator, `signature` and `docstrings` read a function, `scanner` finds tools. `pulse`
decides when to register and beat, `provider` does it beside the host's own work, `serving` answers calls.
"""

from toolroster.access import Access
from toolroster.provider.declared import Settings, agent_tool
from toolroster.provider.provider import Provider
from toolroster.provider.scanner import scan
from toolroster.provider.serving import ToolApp
from toolroster.provider.signature import Param, SignatureUnsupported
from toolroster.provider.tool import AgentTool

__all__ = [
    "Access",
    "AgentTool",
    "Param",
    "Provider",
    "Settings",
    "SignatureUnsupported",
    "ToolApp",
    "agent_tool",
    "scan",
]
