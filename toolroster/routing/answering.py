"""What a tool's answer means: a result, a refusal by the tool, or a failure of it."""

from typing import Any

from toolroster import strict_json
from toolroster.client.answers import error_of
from toolroster.errors import (
    Malformed,
    PermissionMissing,
    RateLimited,
    TimedOut,
    ToolFailed,
    ToolRefused,
    ToolrosterError,
)
from toolroster.routing.transport import Answer

_TOO_MANY, _TIMEOUTS = 429, (408, 504)
_PERMISSION = (401, 403)


def content_of(answer: Answer, *, tool_id: str) -> Any:
    """Return what a tool answered: its `result`, or the JSON value or text as it is.

    Raises:
        ToolRefused: it says that the call is wrong; its pointers and names come along.
        PermissionMissing: it does not let this agent.
        RateLimited, TimedOut: it says so.
        ToolFailed: it failed, or what it says makes no sense.
    """
    content = _content(answer, tool_id)
    if 200 <= answer.status < 300:
        is_wrapped = isinstance(content, dict) and content.keys() == {"result"}
        return content["result"] if is_wrapped else content
    raise _error(answer, content, tool_id)


def is_failure(error: ToolrosterError) -> bool:
    """Tell whether an error speaks against the instance; what the tool refuses does not."""
    return isinstance(error, (ToolFailed, TimedOut))


def _content(answer: Answer, tool_id: str) -> Any:
    media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if answer.headers.get("content-encoding", "identity").lower() != "identity":
        raise ToolFailed(f"{tool_id} answers in a coding that was not asked for.")
    if media_type != "application/json" and not media_type.endswith("+json"):
        return answer.body.decode("utf-8", "replace") if answer.body else None
    try:
        return strict_json.loads(answer.body)
    except Malformed as error:
        if answer.status >= 400:
            return None
        raise ToolFailed(f"{tool_id} answers with broken JSON.") from error


def _error(answer: Answer, content: Any, tool_id: str) -> ToolrosterError:
    said = error_of(answer.status, content, host=tool_id)
    about: dict[str, Any] = {"errors": said.errors, "nearest": said.nearest, "extra": said.extra}
    if answer.status in _PERMISSION:
        return PermissionMissing(f"{tool_id} does not let this agent: {said.detail}", **about)
    if answer.status == _TOO_MANY:
        return RateLimited(
            f"{tool_id}: {said.detail}", retry_after_seconds=said.retry_after_seconds or 1, **about
        )
    if answer.status in _TIMEOUTS:
        return TimedOut(f"{tool_id}: {said.detail}", **about)
    if 400 <= answer.status < 500:
        return ToolRefused(said.detail, **about)
    return ToolFailed(f"{tool_id} answers {answer.status}: {said.detail}", **about)
