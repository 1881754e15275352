"""Deprecate, yank, restore, retire: what owners and operators decide about versions."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from oauth import audit
from registry.api import answers, shapes
from registry.api.answers import described
from registry.api.call import Call, GoverningView
from registry.api.parsing import body_as, body_of, check_nothing_sent
from registry.models import ToolRegistration
from registry.services import governing, lifecycle, rendering, resolution
from toolroster.errors import Fault, ToolrosterError

Step = Callable[..., ToolRegistration]


class _DecidingView(GoverningView):
    """One decision about one version."""

    def _decide(self, request: Request, tool_id: str, step: Step, **said: Any) -> Response:
        call = self.call(request)
        if said.get("replaced_by"):
            said["replaced_by"] = _replacement(said["replaced_by"], call)
        row = governing.registration(tool_id, principal=call.principal)
        step(row.pk, now=call.now, by=audit.principal(call.principal), **said)
        row = ToolRegistration.objects.with_last_beat().get(pk=row.pk)
        return Response(call.render(row), headers=rendering.farewell_headers(row))


class DeprecateView(_DecidingView):
    """`POST /api/tools/{tool_id}/deprecate`."""

    @extend_schema(
        operation_id="deprecate",
        request={"application/json": shapes.Deprecation},
        responses=described(answers.Registration),
        description="Takes a version out of ranges and lists; its exact version still works, with headers "
        "that say so (RFC 9745, RFC 8594). At `sunset_at` it is retired. `replaced_by` is a reference that "
        "exists.",
    )
    def post(self, request: Request, tool_id: str) -> Response:
        """Deprecate a version."""
        asked = body_as(shapes.Deprecation, body_of(request))
        said = {
            "reason": asked.reason,
            "sunset_at": lifecycle.sunset_of(asked.sunset_at) if asked.sunset_at else None,
            "replaced_by": asked.replaced_by,
        }
        return self._decide(request, tool_id, lifecycle.deprecate, **said)


class YankView(_DecidingView):
    """`POST /api/tools/{tool_id}/yank`."""

    @extend_schema(
        operation_id="yank",
        request={"application/json": shapes.Yank},
        responses=described(answers.Registration),
        description="For a version that should not have been published: it is listed nowhere, exact pins "
        "still work.",
    )
    def post(self, request: Request, tool_id: str) -> Response:
        """Yank a version."""
        asked = body_as(shapes.Yank, body_of(request))
        said = {"reason": asked.reason, "replaced_by": asked.replaced_by}
        return self._decide(request, tool_id, lifecycle.yank, **said)


class RestoreView(_DecidingView):
    """`POST /api/tools/{tool_id}/restore`."""

    @extend_schema(
        operation_id="restore",
        request=None,
        responses=described(answers.Registration),
        description="Undoes a deprecation or a yank.",
    )
    def post(self, request: Request, tool_id: str) -> Response:
        """Restore a version."""
        check_nothing_sent(request)
        return self._decide(request, tool_id, lifecycle.restore)


class RetireView(_DecidingView):
    """`POST /api/tools/{tool_id}/retire`."""

    @extend_schema(
        operation_id="retire",
        request={"application/json": shapes.Retirement},
        responses=described(answers.Registration),
        description="For good: the version is served to nobody any more, and its id is never used again.",
    )
    def post(self, request: Request, tool_id: str) -> Response:
        """Retire a version."""
        asked = body_as(shapes.Retirement, body_of(request))
        return self._decide(request, tool_id, lifecycle.retire, reason=asked.reason)


def _replacement(text: str, call: Call) -> str:
    """Return a reference that means something now; what it means is asked again by those who follow it."""
    try:
        resolution.named(text, principal=call.principal)
    except ToolrosterError as error:
        error.errors = (Fault("/replaced_by", error.code, error.detail),)
        raise
    return text.strip()
