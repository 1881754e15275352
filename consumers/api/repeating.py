"""`Idempotency-Key`: a call is made once, and told again as it was told the first time."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from django.utils import timezone

from consumers import conf
from consumers.services import repeating
from consumers.services.repeating import Answered, Key
from registry.api.problems import reply_to
from registry.api.wire import VARY, Reply
from toolroster.errors import ToolrosterError

Answering = Callable[[], Coroutine[Any, Any, Reply]]

_running: set[asyncio.Task[Reply]] = set()


async def once(key: Key, request: bytes, answer: Answering) -> Reply:
    """Return an answer, made at the first request with a key and kept for a day.

    A client that goes away does not end it: it will ask again what became of its call.

    Raises:
        DocumentInvalid, Conflict: the key is another request's, or its call is not over.
        ToolrosterError: nothing was sent to any tool; the key is free again.
    """
    now = timezone.now()
    known = await conf.threads().run(lambda: repeating.begin(key, request=request, now=now))
    if known is not None:
        return _again(known)
    task = asyncio.get_running_loop().create_task(_made(key, answer))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return await asyncio.shield(task)


async def _made(key: Key, answer: Answering) -> Reply:
    threads = conf.threads()
    try:
        reply = await answer()
    except ToolrosterError as error:
        if not error.extra.get("sent"):
            await threads.run(lambda: repeating.give_up(key))
            raise
        reply = reply_to(error)
    answered = Answered(reply.status, reply.body)
    await threads.run(lambda: repeating.finish(key, answered=answered))
    return reply


def _again(known: Answered) -> Reply:
    is_problem = known.status >= 400
    media_type = "application/problem+json" if is_problem else "application/json"
    headers = {"Content-Type": media_type, "Vary": VARY, "Idempotency-Replayed": "true"}
    return Reply(known.status, known.body, headers)
