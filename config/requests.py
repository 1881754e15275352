"""An id for every request, in the answer and in every log line written meanwhile."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

_SENT_ID = re.compile(r"[A-Za-z0-9._:-]{1,100}", re.ASCII)
"""What is taken over from a caller; anything else could forge log lines."""


def request_id_of(sent: str) -> str:
    """Return the id that a caller sent, or a new one."""
    return sent if _SENT_ID.fullmatch(sent) else uuid.uuid4().hex


class RequestIdMiddleware:
    """Takes `X-Request-Id` from the caller or makes one, and sends it back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = request_id_of(request.META.get("HTTP_X_REQUEST_ID", ""))
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
        response["X-Request-Id"] = request_id
        return response
