"""What calls of tools are measured with: a tool that does nothing, and a plain proxy before it."""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import aiohttp
import httpx

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
_JSON = [(b"content-type", b"application/json")]
_client: httpx.AsyncClient | None = None
_session: aiohttp.ClientSession | None = None


async def tool(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Answer every call with the same result."""
    if not await _is_request(scope, receive, send):
        return
    await _body(receive)
    await _answer(send, 200, b'{"result":{"sum":391}}')


async def proxy(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Send a call on as it is, as a gateway does that does nothing else, with the router's own client."""
    global _session  # noqa: PLW0603 - one for the process, on its event loop
    if not await _is_request(scope, receive, send):
        return
    _session = _session or aiohttp.ClientSession()
    body, headers = await _body(receive), {name.decode(): value.decode() for name, value in _kept(scope)}
    async with _session.post(os.environ["BENCH_TOOL"], data=body, headers=headers) as answer:
        await _answer(send, answer.status, await answer.read())


async def httpx_proxy(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    """Do the same with httpx."""
    global _client  # noqa: PLW0603 - likewise
    if not await _is_request(scope, receive, send):
        return
    _client = _client or httpx.AsyncClient(limits=httpx.Limits(max_connections=1000))
    answer = await _client.post(
        os.environ["BENCH_TOOL"], content=await _body(receive), headers=list(_kept(scope))
    )
    await _answer(send, answer.status_code, answer.content)


def _kept(scope: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    wanted = {b"content-type", b"authorization"}
    return [(name, value) for name, value in scope["headers"] if name in wanted]


async def _is_request(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> bool:
    if scope["type"] == "http":
        return True
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})
    return False


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = [*_JSON, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
