"""`Idempotency-Key`: a call is made once, and told again as it was told the first time."""

from collections.abc import Callable, Coroutine
from typing import Any

from django.utils import timezone

from consumers import conf
from consumers.services import repeating
from consumers.services.repeating import Answered
from oauth.principal import Principal
from registry.api.problems import reply_to
from registry.api.wire import VARY, Reply
from toolroster.errors import (
    ApprovalPending,
    ConcurrencyLimited,
    RateLimited,
    ToolrosterError,
    ToolUnavailable,
    Unavailable,
)

_NOT_CALLED = (ApprovalPending, RateLimited, ConcurrencyLimited, ToolUnavailable)
"""After these the same call may be sent again: nothing was done."""


async def once(
    key: str, principal: Principal, request: bytes, answer: Callable[[], Coroutine[Any, Any, Reply]]
) -> Reply:
    """Return an answer, made at the first request with a key and kept for a day.

    Raises:
        DocumentInvalid, Conflict: the key is another request's, or its call is not over.
        ToolrosterError: nothing was called; the key is free again.
    """
    whose, threads, now = principal.application_id, conf.threads(), timezone.now()
    known = await threads.run(lambda: repeating.begin(key, application_id=whose, request=request, now=now))
    if known is not None:
        return _again(known)
    try:
        reply = await answer()
    except ToolrosterError as error:
        if _is_open(error):
            await threads.run(lambda: repeating.give_up(key, application_id=whose))
            raise
        reply = reply_to(error)
    answered = Answered(reply.status, reply.body)
    await threads.run(lambda: repeating.finish(key, application_id=whose, answered=answered))
    return reply


def _is_open(error: ToolrosterError) -> bool:
    is_plain = isinstance(error, Unavailable) and error.code == Unavailable.code
    return isinstance(error, _NOT_CALLED) or is_plain


def _again(known: Answered) -> Reply:
    is_problem = known.status >= 400
    media_type = "application/problem+json" if is_problem else "application/json"
    headers = {"Content-Type": media_type, "Vary": VARY, "Idempotency-Replayed": "true"}
    return Reply(known.status, known.body, headers)
