"""The tables of the registry; a module each."""

from registry.models import lookups  # noqa: F401 - registers them
from registry.models.channel import ToolChannel
from registry.models.embedding import EmbeddingSpace, SearchText, ToolEmbedding, ToolPosting
from registry.models.event import ToolEvent
from registry.models.instance import ToolInstance
from registry.models.presentation import ToolPresentation
from registry.models.provider import Provider, ProviderOwner
from registry.models.refusal import RefusedPublication
from registry.models.registration import ToolRegistration
from registry.models.tool import Tool
from registry.models.use import ToolUse
from registry.models.watch import LeaseWatch

__all__ = [
    "EmbeddingSpace",
    "LeaseWatch",
    "Provider",
    "ProviderOwner",
    "RefusedPublication",
    "SearchText",
    "Tool",
    "ToolChannel",
    "ToolEmbedding",
    "ToolEvent",
    "ToolInstance",
    "ToolPosting",
    "ToolPresentation",
    "ToolRegistration",
    "ToolUse",
]
