"""Calls of tools that never end, say too much, or hang."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from toolroster.client import calling
from toolroster.client.calling import Caller, Target
from toolroster.errors import ToolUnavailable, Unavailable

TARGET = Target("team:t:1.0.0", "http://tool.test/t", {"type": "object"}, wants_token=False)


class _Endless(httpx.SyncByteStream, httpx.AsyncByteStream):
    """An answer that goes on and on, `seconds` between its parts."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b" " * 1024

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(self._seconds)
            yield b" " * 1024


def _endless(seconds: float) -> httpx.MockTransport:
    return httpx.MockTransport(lambda _: httpx.Response(200, stream=_Endless(seconds)))


def _call(transport: httpx.MockTransport, *, is_async: bool, target: Target = TARGET) -> Any:
    caller = Caller(lambda: None, seconds=0.3, transport=transport, async_transport=transport)
    return asyncio.run(caller.call_async(target, {})) if is_async else caller.call(target, {})


@pytest.mark.parametrize("is_async", [False, True])
def test_an_answer_without_end_is_given_up_by_its_size(monkeypatch, is_async):
    monkeypatch.setattr(calling, "MOST_BYTES", 10_000)

    with pytest.raises(Unavailable, match="larger than 10000 bytes"):
        _call(_endless(0), is_async=is_async)


@pytest.mark.parametrize("is_async", [False, True])
def test_an_answer_without_end_is_given_up_by_its_time(monkeypatch, is_async):
    monkeypatch.setattr(calling, "MOST_BYTES", 10**12)

    with pytest.raises(Unavailable, match=r"takes too long|does not answer"):
        _call(_endless(0.01), is_async=is_async)


def test_on_an_event_loop_the_whole_call_has_the_deadline():
    async def silent(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")

    with pytest.raises(Unavailable, match="does not answer"):
        _call(httpx.MockTransport(silent), is_async=True)


@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_without_an_address_cannot_be_called(is_async):
    target = Target("team:t:1.0.0", "", {"type": "object"}, wants_token=False)

    with pytest.raises(ToolUnavailable, match="no address"):
        _call(_endless(0), is_async=is_async, target=target)


@pytest.mark.parametrize("is_async", [False, True])
def test_only_a_tool_that_asks_for_scopes_is_shown_the_token(is_async):
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("authorization"))
        return httpx.Response(200, json={"result": 1})

    transport = httpx.MockTransport(answer)
    caller = Caller(lambda: httpx.BasicAuth("a", "b"), transport=transport, async_transport=transport)
    for wants in (True, False):
        target = Target("team:t:1.0.0", "http://tool.test/t", {}, wants_token=wants)
        assert (asyncio.run(caller.call_async(target, {})) if is_async else caller.call(target, {})) == 1

    assert [one is not None for one in seen] == [True, False]
