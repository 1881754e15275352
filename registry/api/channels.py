"""Channels: where they point, for everybody; pointing them, for owners and operators."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from oauth import audit
from registry.api import answers, shapes
from registry.api.answers import described
from registry.api.call import GoverningView, RegistryView
from registry.api.parsing import body_as, body_of, query_as
from registry.services import channels, governing, resolution


class ChannelsView(RegistryView):
    """`GET /api/tools/{provider}/{name}/channels`."""

    @extend_schema(operation_id="channels", responses=described(answers.Channels))
    def get(self, request: Request, provider: str, name: str) -> Response:
        """Return the channels of a tool; `pinned_at` is null for those that follow the highest version."""
        query_as(shapes.NoQuery, request)
        principal = self.call(request).principal
        tool = resolution.tool_of(f"{provider}/{name}", principal=principal)
        return Response({"results": [one.as_json() for one in channels.of(tool, principal=principal)]})


class ChannelView(GoverningView):
    """`PUT` and `DELETE /api/tools/{provider}/{name}/channels/{channel}`."""

    @extend_schema(
        operation_id="pin_channel",
        request={"application/json": shapes.Pin},
        responses=described(answers.Channel),
        description="Points a channel at an active version: `latest`, `stable`, `next`, or one of your own.",
    )
    def put(self, request: Request, provider: str, name: str, channel: str) -> Response:
        """Pin a channel."""
        call, tool = self.governed(request, provider, name)
        asked = body_as(shapes.Pin, body_of(request))
        row = governing.version(tool, asked.version)
        found = channels.pin(tool, channel, row, now=call.now, by=audit.principal(call.principal))
        return Response(found.as_json())

    @extend_schema(
        operation_id="free_channel",
        responses=described(answers.Channels),
        description="Frees a channel: `latest`, `stable` and `next` follow the highest version again.",
    )
    def delete(self, request: Request, provider: str, name: str, channel: str) -> Response:
        """Free a channel; return those that are left."""
        call, tool = self.governed(request, provider, name)
        channels.free(tool, channel, now=call.now, by=audit.principal(call.principal))
        left: list[dict[str, Any]] = [one.as_json() for one in channels.of(tool, principal=call.principal)]
        return Response({"results": left})
