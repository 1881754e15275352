"""Answers as bytes: our spelling, or the Java client's on its media type."""

from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer

from toolroster import spelling


class JSONRenderer(BaseRenderer):
    """`application/json` by orjson."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the JSON text."""
        return b"" if data is None else orjson.dumps(data)


class CamelJSONRenderer(JSONRenderer):
    """The same in seeds/004's spelling; lists are bare arrays."""

    media_type = "application/vnd.toolroster.camel+json"
    format = "camel"

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the JSON text; problems keep the names of RFC 9457."""
        response = (renderer_context or {}).get("response")
        if response is not None and response.exception:
            return super().render(data)
        return super().render(spelling.answer_to_java(data))
