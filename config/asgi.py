"""The one application of a web process: native ASGI handlers, and Django behind the bridge.

Served by `config.web.command`.
"""

import asyncio
import gc
import logging

from config.wsgi import application as django_application  # isort: skip - sets Django up first

from django.conf import settings

from config import native, startup
from config.bridge import Bridge, send_problem
from config.bridge_protocol import ASGIHandler, Receive, Scope, Send, check_head
from consumers import conf
from toolroster.errors import HeadersTooLarge

logger = logging.getLogger(__name__)

BEGIN_SECONDS = 10.0
"""How long the start waits for the database; afterwards requests are served and the attempt goes on."""

bridge = Bridge(django_application, threads=settings.WEB_THREADS, max_body_bytes=settings.MAX_BODY_BYTES)

NATIVE: dict[str, ASGIHandler] = {**native.handlers(bridge)}
"""Handlers by path; one that ends with `/`, but is more, stands for all below it. A handler may pass on to
`bridge`."""


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one connection of ASGI."""
    match scope["type"]:
        case "http":
            await _serve(scope, receive, send)
        case "lifespan":
            await _live(receive, send)
        case "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})
        case other:
            raise ValueError(f"Unknown ASGI scope: {other}")


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        check_head(scope)
    except HeadersTooLarge as error:
        await send_problem(error, scope, send)
    else:
        await _handler(scope["path"])(scope, receive, send)


def _handler(path: str) -> ASGIHandler:
    if exact := NATIVE.get(path):
        return exact
    prefixes = (prefix for prefix in NATIVE if prefix.endswith("/") and prefix != "/")
    below = (NATIVE[prefix] for prefix in prefixes if path.startswith(prefix))
    return next(below, bridge)


async def _live(receive: Receive, send: Send) -> None:
    await receive()
    begun = asyncio.ensure_future(bridge.in_thread(startup.begin))
    await asyncio.wait({begun}, timeout=BEGIN_SECONDS)
    if not begun.done():
        logger.error("the database takes long to answer: requests are served without it")
    gc.collect()
    gc.freeze()  # full collections need not look at what is loaded by now: it stays
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await conf.close()
    await send({"type": "lifespan.shutdown.complete"})
