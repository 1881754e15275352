"""The one translator from errors to HTTP: RFC 9457 problem details."""

import logging
from collections.abc import Sequence
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from orjson import dumps
from rest_framework.exceptions import APIException
from rest_framework.response import Response
from rest_framework.views import set_rollback

from oauth import resources
from registry.api.wire import Reply
from toolroster.errors import ToolrosterError, Unavailable
from toolroster.oauth.challenge import challenge_of

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_REFUSED = "The request was refused: unknown host, too many fields, or a malformed header or field."
_CODES = {
    400: "malformed",
    403: "permission_missing",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    415: "unsupported_media_type",
    429: "rate_limited",
}


def translate(error: Exception, context: dict[str, Any]) -> Response:
    """Return the answer to an error that a view raised; what is unexpected is logged and says its id."""
    set_rollback()
    problem = problem_of(error)
    needed = getattr(context.get("view"), "required_scopes", ())
    return Response(
        problem, status=problem["status"], headers=_headers(error, problem, needed), content_type=MEDIA_TYPE
    )


def reply_to(error: Exception, *, scopes: Sequence[str] = ()) -> Reply:
    """Return the answer to an error that an operation of `hot` raised; `scopes` are those that it needs."""
    problem = problem_of(error)
    headers = {"Content-Type": MEDIA_TYPE, "Vary": "Accept", **_headers(error, problem, scopes)}
    return Reply(problem["status"], dumps(problem), headers)


def problem_of(error: Exception) -> dict[str, Any]:
    """Return the problem details of any error."""
    if isinstance(error, ToolrosterError):
        return error.problem()
    if isinstance(error, APIException | Http404 | PermissionDenied | SuspiciousOperation):
        return _of_framework(error)
    if isinstance(error, OperationalError | InterfaceError):
        logger.error("the database does not answer", exc_info=error)
        return Unavailable("The database does not answer.", retry_after_seconds=5).problem()
    logger.error("unexpected error", exc_info=error)
    return ToolrosterError("The error was logged under this request's id.", extra=_request_id()).problem()


def _of_framework(error: APIException | Http404 | PermissionDenied | SuspiciousOperation) -> dict[str, Any]:
    if isinstance(error, APIException):
        return _plain(error.status_code, str(error.detail))
    if isinstance(error, Http404):
        return _plain(404, "There is nothing at this address.")
    if isinstance(error, SuspiciousOperation):
        return _plain(400, _REFUSED)
    return _plain(403, "Not permitted.")


def _request_id() -> dict[str, Any]:
    return {"request_id": structlog.contextvars.get_contextvars().get("request_id")}


def _plain(status: int, detail: str) -> dict[str, Any]:
    problem = ToolrosterError(detail).problem()
    code = _CODES.get(status, "failed")
    title = code.replace("_", " ").capitalize()
    return problem | {
        "status": status,
        "code": code,
        "title": title,
        "type": f"urn:toolroster:problem:{code}",
    }


def _headers(error: Exception, problem: dict[str, Any], needed: Sequence[str]) -> dict[str, str]:
    headers = {}
    if isinstance(error, ToolrosterError):
        challenge = challenge_of(error, scopes=needed, resource_metadata=resources.metadata_url())
        if challenge is not None:
            headers["WWW-Authenticate"] = challenge
    if problem["retry_after_seconds"]:
        headers["Retry-After"] = str(problem["retry_after_seconds"])
    return headers


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that does not exist."""
    return HttpResponse(dumps(problem_of(Http404())), status=404, content_type=MEDIA_TYPE)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error outside of the REST views; Django has logged it."""
    problem = ToolrosterError("The error was logged under this request's id.", extra=_request_id()).problem()
    return HttpResponse(dumps(problem), status=500, content_type=MEDIA_TYPE)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a request that Django itself refused, such as an unknown host."""
    problem = _plain(400, _REFUSED)
    return HttpResponse(dumps(problem), status=400, content_type=MEDIA_TYPE)
