import asyncio
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.toolroster.oauth.server import IMPATIENT, AuthorizationServer
from toolroster.oauth import ClientCredentials

both = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


class Tool(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A tool service that accepts some tokens, and remembers which were sent.

    It uses bodies up, as a network does and httpx.MockTransport does not.
    """

    def __init__(self, *accepted: str) -> None:
        self.accepted = accepted
        self.sent: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        assert b"".join(request.stream) == b"{}"
        return self._answer(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)
        assert b"".join([part async for part in request.stream]) == b"{}"
        return self._answer(request)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        token = request.headers["Authorization"].removeprefix("Bearer ")
        self.sent.append(token)
        return httpx.Response(200 if token in self.accepted else 401)


def parts() -> Iterator[bytes]:
    yield b"{}"


async def parts_async() -> AsyncIterator[bytes]:
    yield b"{}"


def post(server: AuthorizationServer, tool: Tool, *, is_async: bool, is_stream: bool = False) -> int:
    auth = ClientCredentials(server.url + "/token", "agent", "hush", wire=IMPATIENT)

    async def post_async() -> int:
        async with httpx.AsyncClient(auth=auth, transport=tool) as client:
            return (
                await client.post("http://tool.test/", content=parts_async() if is_stream else b"{}")
            ).status_code

    if is_async:
        return asyncio.run(post_async())
    with httpx.Client(auth=auth, transport=tool) as client:
        return client.post("http://tool.test/", content=parts() if is_stream else b"{}").status_code


@both
def test_a_request_carries_the_token(server, is_async):
    tool = Tool("token-1")

    assert post(server, tool, is_async=is_async) == 200
    assert tool.sent == ["token-1"]


@both
def test_a_refused_token_is_replaced_once(server, is_async):
    tool = Tool("token-2")

    assert post(server, tool, is_async=is_async) == 200
    assert tool.sent == ["token-1", "token-2"]


@both
def test_a_service_that_refuses_every_token_gets_two(server, is_async):
    tool = Tool()

    assert post(server, tool, is_async=is_async) == 401
    assert tool.sent == ["token-1", "token-2"]


@both
def test_a_body_that_was_a_stream_is_not_sent_again(server, is_async):
    tool = Tool("token-2")

    assert post(server, tool, is_async=is_async, is_stream=True) == 401
    assert tool.sent == ["token-1"]
