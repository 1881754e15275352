"""Native handlers and Django's views of the hot paths: the same bytes, whatever comes."""

import asyncio
import time
from threading import Barrier, Timer
from typing import Any

import httpx
import pytest
from django.core.cache import cache
from django.db import connections

from config import asgi
from config.bridge_protocol import ASGIHandler
from registry.services import generations, kept
from tests.factories import make_token
from tests.registry.api.client import beat, register

pytestmark = pytest.mark.django_db(transaction=True)

OF_THE_MOMENT = {"x-request-id", "allow"}
"""Not compared; Django tells the methods of a path with each answer."""

TOKEN = "{token}"


@pytest.fixture(autouse=True)
def _kept_lists(settings: Any) -> None:
    settings.LISTS_ARE_KEPT = True
    cache.clear()


@pytest.fixture
def tools() -> None:
    register(endpoint={"url": "http://h/x"}, capabilities={"categories": ["mail"]})
    register(version="1.1.0", endpoint={"url": "http://h/y"}, capabilities={"categories": ["mail"]})
    register("secret_tool", scopes=["vault:use"])
    beat("mail-team:send_email:1.0.0")


def ask(handler: ASGIHandler, method: str, path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app=handler)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers, content=body)

    return asyncio.run(send())


def comparable(answer: httpx.Response) -> tuple[int, bytes, dict[str, Any]]:
    named = {name: value for name, value in answer.headers.items() if name not in OF_THE_MOMENT}
    if answer.status_code == 304:
        named.pop("content-length", None)  # Django says 0, which RFC 9110 §8.6 advises against
    if "vary" in named:
        named["vary"] = str(sorted({one.strip() for one in named["vary"].split(",")}))
    return answer.status_code, answer.content, named


HEARTBEAT = b'{"tool_ids": ["mail-team:send_email:1.0.0"], "provider_instance": "host-1"}'
JSON = {"content-type": "application/json"}
BEARER = {"authorization": f"Bearer {TOKEN}"}
CAMEL = {"accept": "application/vnd.toolroster.camel+json"}
CASES: list[tuple[str, str, dict[str, str], bytes]] = [
    ("GET", "/api/tools/available", {}, b""),
    ("GET", "/api/tools/available?limit=1", {}, b""),
    ("GET", "/api/tools/available?category=mail&category=x", BEARER, b""),
    ("GET", "/api/tools/available?limit=1", CAMEL, b""),
    ("GET", "/api/tools/available?limit=0", {}, b""),
    ("GET", "/api/tools/available?catgory=x", {}, b""),
    ("GET", "/api/tools/available?category=%00", {}, b""),
    ("GET", "/api/tools/available?category=%ff", {}, b""),
    ("GET", "/api/tools/available?cursor=x", {}, b""),
    ("GET", "/api/tools/available", {"authorization": "Bearer wrong"}, b""),
    ("GET", "/api/tools/available", {"authorization": "Basic eDp4"}, b""),
    ("GET", "/api/tools/available", {"authorization": "Bearer a b"}, b""),
    ("GET", "/api/tools/available", {"accept": "image/png"}, b""),
    ("GET", "/api/tools/available", {"accept": "application/json;q=0.1, */*"}, b""),
    ("GET", "/api/tools/available", {"accept-encoding": "gzip"}, b""),
    ("GET", "/api/tools/available", {"if-none-match": "*"}, b""),
    ("HEAD", "/api/tools/available", {}, b""),
    ("POST", "/api/tools/available", JSON, b"{}"),
    ("OPTIONS", "/api/tools/available", {}, b""),
    ("GET", "/api/tools/available", {"host": "elsewhere.example"}, b""),
    ("GET", "/", {}, b""),
    ("GET", "/", BEARER, b""),
    ("GET", "/", {"accept": "application/json"}, b""),
    ("GET", "/?x=1", {}, b""),
    ("GET", "/api/tools/resolve?ref=send_email@^1", {}, b""),
    ("GET", "/api/tools/resolve?ref=send_email@^1", CAMEL | BEARER, b""),
    ("GET", "/api/tools/resolve?ref=send_email@^9", {}, b""),
    ("GET", "/api/tools/resolve?ref=send_mail", {}, b""),
    ("GET", "/api/tools/resolve?ref=secret_tool", BEARER, b""),
    ("GET", "/api/tools/resolve?ref=send_email@!", {}, b""),
    ("GET", "/api/tools/resolve", {}, b""),
    ("POST", "/api/tools/heartbeat", JSON, HEARTBEAT),
    ("POST", "/api/tools/heartbeat", JSON | BEARER, HEARTBEAT),
    ("POST", "/api/tools/heartbeat", JSON, HEARTBEAT.replace(b"send", b"lend")),
    ("POST", "/api/tools/heartbeat", JSON, b"{"),
    ("POST", "/api/tools/heartbeat", JSON, b""),
    ("POST", "/api/tools/heartbeat", JSON, b"[]"),
    ("POST", "/api/tools/heartbeat", JSON, b'{"tool_ids": []}'),
    ("POST", "/api/tools/heartbeat", {"content-type": "text/plain"}, HEARTBEAT),
    ("POST", "/api/tools/heartbeat", {}, HEARTBEAT),
    ("POST", "/api/tools/heartbeat", JSON | CAMEL, HEARTBEAT),
    ("GET", "/api/tools/heartbeat", {}, b""),
    ("POST", "/api/tools/search", JSON, b'{"query": "send an email"}'),
    ("POST", "/api/tools/search", JSON | BEARER, b'{"query": "email", "top_k": 1, "category": ["mail"]}'),
    ("POST", "/api/tools/search", JSON | CAMEL, b'{"query": "email"}'),
    ("POST", "/api/tools/search", JSON, b'{"query": ""}'),
    ("POST", "/api/tools/search", JSON, b'{"query": "email", "top": 1}'),
    ("POST", "/api/tools/search", JSON, b""),
    ("POST", "/api/tools/search", {}, b'{"query": "email"}'),
    ("GET", "/api/tools/search", {}, b""),
    ("GET", "/api/events", {}, b""),
    ("GET", "/api/events?limit=1&after=0-0", CAMEL | BEARER, b""),
    ("GET", "/api/events?after=x", {}, b""),
    ("GET", "/api/events?wait=31", {}, b""),
    ("GET", "/api/events?after=999999999999-1&wait=0", {}, b""),
    ("GET", "/api/agents/me/events", BEARER, b""),
    ("GET", "/api/agents/me/events", {}, b""),
]


@pytest.mark.usefixtures("tools")
def test_django_and_the_native_handler_give_the_same_bytes():
    token = make_token("mail:use")
    differing = {}
    for method, path, sent, body in CASES:
        headers = {"accept-encoding": "identity"} | {k: v.replace(TOKEN, token) for k, v in sent.items()}
        answers = [
            comparable(ask(handler, method, path, headers, body))
            for handler in (asgi.bridge, asgi.application, asgi.application)
        ]
        if not answers[0] == answers[1] == answers[2]:
            differing[method, path, str(sent), body] = answers

    _close_connections()
    assert differing == {}


@pytest.mark.usefixtures("tools")
def test_what_is_kept_is_answered_without_a_thread(monkeypatch):
    headers = {"authorization": f"Bearer {make_token('mail:use')}"}
    path = "/api/tools/available?category=mail"
    first = ask(asgi.application, "GET", path, headers, b"")
    monkeypatch.setattr(asgi.bridge, "call", None)

    again = ask(asgi.application, "GET", path, headers, b"")
    has_it = ask(asgi.application, "GET", path, headers | {"if-none-match": first.headers["etag"]}, b"")

    _close_connections()
    assert (again.status_code, again.content) == (200, first.content)
    assert (has_it.status_code, has_it.content) == (304, b"")


@pytest.mark.parametrize(
    "end", [kept.answers.forget, generations.shared.forget], ids=["answers", "generations"]
)
@pytest.mark.usefixtures("tools")
def test_what_is_not_kept_any_more_is_asked_for(end):
    path = "/api/tools/available"
    first = ask(asgi.application, "GET", path, {}, b"")

    end()

    assert ask(asgi.application, "GET", path, {}, b"").content == first.content
    _close_connections()


def test_a_browser_gets_the_page():
    answer = ask(asgi.application, "GET", "/", {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}, b"")

    _close_connections()
    assert answer.headers["content-type"].startswith("text/html")


def test_plain_http_is_led_to_https_where_that_is_demanded(settings):
    settings.SECURE_SSL_REDIRECT = True
    path = "/api/tools/available"

    plain = ask(asgi.application, "GET", path, {}, b"")
    secure = ask(asgi.application, "GET", path, {"x-forwarded-proto": "https"}, b"")

    _close_connections()
    assert secure.status_code == 200
    assert plain.status_code in {200, 301}  # the middleware reads its settings when it is made


def test_the_id_of_a_request_comes_back():
    answer = ask(asgi.application, "GET", "/api/tools/available", {"x-request-id": "abc"}, b"")

    _close_connections()
    assert answer.headers["x-request-id"] == "abc"


def _close_connections() -> None:
    """Close the connections of every thread of the bridge: the test database is dropped behind them."""
    pool = asgi.bridge._pool
    all_there = Barrier(pool._max_workers)

    def close() -> None:
        all_there.wait(20)
        connections.close_all()

    for job in [pool.submit(close) for _ in range(pool._max_workers)]:
        job.result(20)


def _ask_events(wait: int) -> tuple[httpx.Response, float]:
    place = ask(asgi.application, "GET", "/api/events?limit=1000", {}, b"").json()["next"]
    started = time.monotonic()
    answer = ask(asgi.application, "GET", f"/api/events?after={place}&wait={wait}", {}, b"")
    _close_connections()
    return answer, time.monotonic() - started


@pytest.mark.usefixtures("tools")
def test_who_waits_for_events_hears_of_the_next_one():
    def publish() -> None:
        register("another_tool")
        connections.close_all()

    later = Timer(1.0, publish)
    later.start()
    answer, seconds = _ask_events(wait=20)
    later.join()

    assert [event["tool_id"] for event in answer.json()["results"]] == ["mail-team:another_tool:1.0.0"]
    assert 0.5 < seconds < 15


@pytest.mark.usefixtures("tools")
def test_who_waits_in_vain_is_told_so():
    answer, seconds = _ask_events(wait=1)

    assert (answer.json()["results"], seconds >= 1) == ([], True)
