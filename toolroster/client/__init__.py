"""Find and use tools: ask a registry, with a memory on disk for when it is away.

`calls` and `consuming` have every operation without I/O, `registry` asks in this thread, `asynchronous` on
the event loop; `disk` keeps answers, `answers` tells what came back. `agent` is the agent of seeds/000.
"""

from toolroster.client.agent import DiscoveredTool, DynamicToolAgent
from toolroster.client.answers import Listed, Registration
from toolroster.client.asynchronous import AsyncRegistry
from toolroster.client.disk import DiskCache
from toolroster.client.registry import Registry

__all__ = [
    "AsyncRegistry",
    "DiscoveredTool",
    "DiskCache",
    "DynamicToolAgent",
    "Listed",
    "Registration",
    "Registry",
]
