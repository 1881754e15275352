"""The registry client: what it does on good days, and that bad ones never reach the host."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.toolroster.client import hostile
from toolroster import Access, AsyncRegistry, DiskCache, DynamicToolAgent, Registry
from toolroster.errors import (
    DocumentInvalid,
    PermissionMissing,
    ToolNotFound,
    ToolrosterError,
    ToolUnavailable,
    Unauthenticated,
    Unavailable,
)

ROW = {
    "tool_id": "math:add:1.0.0",
    "provider": "math",
    "name": "add",
    "version": "1.0.0",
    "lifecycle": "ACTIVE",
}
AWAY = ["500", "503", "garbage", "html", "half", "silent", "closed"]

Ask = Callable[..., Any]


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "known")


@pytest.fixture
def bad() -> Iterator[hostile.Registry]:
    with hostile.Registry({"results": [ROW], "next": None}).running() as server:
        yield server


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, cache: DiskCache) -> Ask:
    """Ask a registry for something, in both faces."""

    def sync(url: str, name: str, *arguments: Any, **options: Any) -> Any:
        with Registry(url, cache=cache, patience_seconds=0.3) as registry:
            return getattr(registry, name)(*arguments, **options)

    async def on_the_loop(url: str, name: str, *arguments: Any, **options: Any) -> Any:
        async with AsyncRegistry(url, cache=cache, patience_seconds=0.3) as registry:
            return await getattr(registry, name)(*arguments, **options)

    return sync if request.param == "sync" else lambda *a, **o: asyncio.run(on_the_loop(*a, **o))


@pytest.mark.parametrize("behaviour", AWAY)
def test_with_the_registry_away_the_last_known_list_is_given_with_its_age(ask, bad, cache, behaviour):
    assert ask(bad.url, "available").age_seconds == 0
    bad.behaviour = behaviour

    known = ask(bad.url, "available")

    assert [row.tool_id for row in known] == ["math:add:1.0.0"]
    assert known.age_seconds > 0
    assert known[0].age_seconds > 0


@pytest.mark.parametrize("behaviour", [one for one in AWAY if one != "silent"])
def test_with_the_registry_away_and_nothing_known_the_error_can_be_retried(ask, bad, behaviour):
    bad.behaviour = behaviour

    with pytest.raises(Unavailable) as caught:
        ask(bad.url, "available")

    assert caught.value.retryable


def test_an_answer_that_makes_no_sense_is_no_answer(ask, bad):
    bad.behaviour = "wrong"

    for name, arguments in (
        ("available", ()),
        ("search", ("mail",)),
        ("resolve", ("add",)),
        ("discover", ()),
    ):
        with pytest.raises(Unavailable):
            ask(bad.url, name, *arguments)


def test_a_slow_answer_is_kept_for_the_next_call(bad, cache):
    with Registry(bad.url, cache=cache, patience_seconds=0.1) as registry:
        registry.available()
        bad.behaviour = "silent"
        bad.content = {"results": [ROW, ROW | {"tool_id": "math:add:2.0.0"}], "next": None}
        first = registry.available()
        again = registry.available()
        assert (len(first), len(again), bad.asked) == (1, 1, 2), "one refresh for all who wait"
        bad.behaviour = "good"
        bad.released.set()
        refreshed = _eventually(registry.available, lambda rows: len(rows) == 2)

    assert refreshed.age_seconds == 0


def _eventually(act: Callable[[], Any], check: Callable[[Any], bool]) -> Any:
    for _ in range(100):
        found = act()
        if check(found):
            return found
        threading.Event().wait(0.05)
    raise AssertionError(f"still {found!r}")


def _transport(handler: Callable[[httpx.Request], httpx.Response]) -> dict[str, Any]:
    return {"transport": httpx.MockTransport(handler)}


def test_pages_are_one_list(cache):
    def answer(request: httpx.Request) -> httpx.Response:
        cursor = request.url.params.get("cursor")
        row = ROW | {"tool_id": f"math:add:{cursor or 1}.0.0"}
        following = {None: "2", "2": "3", "3": None}[cursor]
        return httpx.Response(200, json={"results": [row], "next": following})

    with Registry("http://r", cache=cache, **_transport(answer)) as registry:
        rows = registry.available(category=["a", "b"], read_only=True)

    assert [row.tool_id for row in rows] == ["math:add:1.0.0", "math:add:2.0.0", "math:add:3.0.0"]


def test_what_is_known_already_is_not_sent_again(cache):
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("if-none-match"))
        if seen[-1]:
            return httpx.Response(304)
        return httpx.Response(200, json={"results": [ROW], "next": None}, headers={"ETag": '"1"'})

    with Registry("http://r", cache=cache, **_transport(answer)) as registry:
        first, second = registry.available(), registry.available()

    assert seen == [None, '"1"']
    assert list(first) == list(second)
    assert second.age_seconds == 0


def test_what_one_caller_knows_is_not_shown_to_another(cache):
    is_up = True

    def answer(request: httpx.Request) -> httpx.Response:
        if is_up:
            return httpx.Response(200, json={"results": [ROW], "next": None})
        raise httpx.ConnectError("down", request=request)

    def ask_as(token: str) -> Any:
        access = Access(token=token)
        with Registry("http://r", access=access, cache=cache, **_transport(answer)) as registry:
            return registry.available()

    ask_as("one")
    is_up = False

    assert len(ask_as("one")) == 1
    with pytest.raises(Unavailable):
        ask_as("other")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "tool_not_found", ToolNotFound),
        (503, "tool_unavailable", ToolUnavailable),
        (403, "permission_missing", PermissionMissing),
        (422, "invalid", DocumentInvalid),
        (500, "something_new", Unavailable),
        (500, "internal_error", Unavailable),
        (422, "something_new", DocumentInvalid),
    ],
)
def test_problems_become_errors_of_the_one_tree_whatever_is_known(cache, status, code, kind):
    problems = [False]

    def answer(request: httpx.Request) -> httpx.Response:
        if not problems[0]:
            return httpx.Response(200, json=ROW)
        content = {
            "code": code,
            "detail": "No.",
            "nearest": ["add"],
            "errors": [{"pointer": "/a", "code": "x", "detail": "d"}],
            "retry_after_seconds": 3,
        }
        return httpx.Response(status, json=content, headers={"content-type": "application/problem+json"})

    with Registry("http://r", cache=cache, **_transport(answer)) as registry:
        if kind is not Unavailable:
            registry.resolve("add")
        problems[0] = True
        with pytest.raises(kind) as caught:
            registry.resolve("add")

    if kind is not Unavailable:
        assert (caught.value.detail, caught.value.nearest, caught.value.status) == ("No.", ("add",), status)
        assert caught.value.errors[0].pointer == "/a"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, Unauthenticated),
        (403, PermissionMissing),
        (404, ToolNotFound),
        (418, DocumentInvalid),
        (502, Unavailable),
    ],
)
def test_an_error_without_details_is_known_by_its_status(cache, status, kind):
    answer = httpx.Response(status, text="<html>a proxy's page</html>")

    with Registry("http://r", cache=cache, **_transport(lambda _: answer)) as registry, pytest.raises(kind):
        registry.available()


def test_what_makes_no_sense_does_not_replace_what_is_known(cache):
    good = httpx.Response(200, json={"results": [ROW], "next": None}, headers={"ETag": '"1"'})
    bad = httpx.Response(200, json={})
    answers = [good, bad, bad]

    with Registry("http://r", cache=cache, **_transport(lambda _: answers.pop(0))) as registry:
        for _ in range(3):
            assert len(registry.available()) == 1


def test_a_tag_is_kept_with_its_own_answer(cache):
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("if-none-match"))
        tag = {"ETag": '"1"'} if len(seen) == 1 else {}
        return httpx.Response(200, json={"results": [ROW], "next": None}, headers=tag)

    with Registry("http://r", cache=cache, **_transport(answer)) as registry:
        for _ in range(3):
            registry.available()

    assert seen == [None, '"1"', None]


def test_credentials_of_the_environment_are_for_their_registry(monkeypatch):
    monkeypatch.setenv("TOOLROSTER_URL", "https://registry.test/")
    monkeypatch.setenv("TOOLROSTER_TOKEN", "secret")

    assert Access.of_environment("https://registry.test").token == "secret"
    assert Access.of_environment("https://elsewhere.test").token == ""
    monkeypatch.delenv("TOOLROSTER_URL")
    assert Access.of_environment("https://elsewhere.test").token == "secret"


@pytest.mark.parametrize("token", ["a b", "a\n", "ä"])
def test_a_token_that_is_none_is_not_shown(token):
    with pytest.raises(DocumentInvalid) as caught:
        Access(token=token)

    assert token not in caught.value.detail


def test_a_token_that_is_refused_is_never_answered_from_memory(cache):
    answers = [
        httpx.Response(200, json={"results": [ROW], "next": None}),
        httpx.Response(401, json={"detail": "No."}),
    ]

    with Registry("http://r", cache=cache, **_transport(lambda _: answers.pop(0))) as registry:
        registry.available()
        with pytest.raises(ToolrosterError) as caught:
            registry.available()

    assert caught.value.status == 401


def test_the_address_must_be_one(monkeypatch):
    monkeypatch.delenv("TOOLROSTER_URL", raising=False)
    for url in (None, "", "localhost:8006", "ftp://x", "http://", "http://u:p@h", "http://h/?a=1"):
        with pytest.raises(DocumentInvalid):
            Registry(url)
    monkeypatch.setenv("TOOLROSTER_URL", "http://localhost:8006/")
    assert Registry().url == "http://localhost:8006"


def test_a_forked_process_shares_nothing_with_its_parent(bad, cache):
    bad.content = {"tools": [], "results": [ROW], "next": None}
    with (
        Registry(bad.url, cache=cache) as registry,
        DynamicToolAgent("a", None, bad.url, cache=cache) as agent,
    ):
        registry.available()
        before = (registry._http(), agent._registry.caller._http())
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                registry.available()
                after = (registry._http(), agent._registry.caller._http())
                code = 0 if all(a is not b for a, b in zip(before, after, strict=True)) else 2
            os._exit(code)
        _, status = os.waitpid(child, 0)

        assert os.waitstatus_to_exitcode(status) == 0


def test_no_thread_and_no_socket_is_left(bad, cache):
    def threads() -> set[str]:
        return {thread.name for thread in threading.enumerate() if not thread.name.startswith("Thread-")}

    before = threads()
    for _ in range(5):
        with Registry(bad.url, cache=cache, patience_seconds=0.3) as registry:
            registry.available()

    assert threads() == before
