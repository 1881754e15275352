"""The memory of agents (seeds/000), as tools are called: arguments in, `{"result": …}` out."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from consumers.api import session_answers as answers
from consumers.api import session_shapes as shapes
from consumers.services import memories
from consumers.services.memories import Reading
from consumers.services.memory_tools import MODEL_SECONDS
from oauth import permissions
from registry import conf
from registry.api.answers import described
from registry.api.call import Call, RegistryView
from registry.api.parsing import body_as, body_of
from toolroster.agents.compression import ExtractiveSummarizer, LLMSummarizer, Summarizer
from toolroster.agents.memory import CompressedMemory
from toolroster.agents.memory_client import SCOPE


class _MemoryView(RegistryView):
    """A view of who has the tools' own scope, or governs: so does everybody in development."""

    def call(self, request: Request) -> Call:
        call = super().call(request)
        permissions.require_any(call.principal, (SCOPE, "tools:admin"))
        return call


class StoreMemoryView(_MemoryView):
    """`POST /api/memory/store_memory`."""

    @extend_schema(
        operation_id="store_memory",
        request={"application/json": shapes.Memory},
        responses=described(answers.Stored),
        description="Keeps what an agent said in a turn: the same one again replaces it. Needs `memory:use`.",
    )
    def post(self, request: Request) -> Response:
        """Keep what was said."""
        call = self.call(request)
        sent = body_as(shapes.Memory, body_of(request))
        memories.store(**sent.model_dump(), principal=call.principal, now=call.now)
        return Response({"result": {"turn_id": sent.turn_id}})


class CompressedMemoryView(_MemoryView):
    """`POST /api/memory/get_compressed_memory`."""

    @extend_schema(
        operation_id="get_compressed_memory",
        request={"application/json": shapes.Remembering},
        responses=described(answers.Remembered),
        description="The last messages of an agent as they were said, and a summary of those before: by the "
        "model of `LLM_BASE_URL`, else of picked sentences. Needs `memory:use`.",
    )
    def post(self, request: Request) -> Response:
        """Return what is remembered."""
        call = self.call(request)
        sent = body_as(shapes.Remembering, body_of(request))
        reading = Reading(call.principal, sent.recent, _summarizer())
        found = memories.compressed(reading, agent_id=sent.agent_id, session_id=sent.session_id, now=call.now)
        return Response({"result": _compressed(found)})


def _summarizer() -> Summarizer:
    model = conf.llm(seconds=MODEL_SECONDS)
    return LLMSummarizer(model) if model else ExtractiveSummarizer()


def _compressed(memory: CompressedMemory) -> dict[str, Any]:
    recent = [
        {"agent_id": one.agent_id, "turn_id": one.turn_id, "message": one.message} for one in memory.recent
    ]
    return {"summary": memory.summary, "recent": recent, "total": memory.total}
