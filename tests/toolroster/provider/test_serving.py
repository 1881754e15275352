"""Tools over HTTP: the same answers by ASGI, WSGI and the small server, alone and mounted."""

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from flask import Flask
from starlette.applications import Starlette
from starlette.routing import Mount
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from tests.toolroster.oauth.server import IMPATIENT, AuthorizationServer
from toolroster import ToolApp, agent_tool, scan
from toolroster.errors import TokenInvalid, ToolNotFound
from toolroster.oauth import TokenChecker
from toolroster.provider import server as small

Ask = Callable[..., httpx.Response]


@agent_tool(timeout_ms=200)
async def slow(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "done"


@agent_tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@agent_tool("add", version="2.0.0")
def add_all(numbers: list[float]) -> float:
    """Add numbers."""
    return sum(numbers)


@agent_tool(scopes=["vault:open", "vault:all"])
def open_vault(code: int) -> str:
    """Open the vault."""
    return f"open with {code}"


FAILURES: dict[str, Any] = {
    "value": ValueError("There is no such street."),
    "zero": ZeroDivisionError("division by zero"),
    "own": ToolNotFound("No such thing."),
    "json": json.JSONDecodeError("Expecting value", "secret detail", 0),
    "token": TokenInvalid("secret detail: the token of the tool itself has ended."),
    "late": TimeoutError("secret detail"),
    "else": RuntimeError("secret detail"),
}


@agent_tool
def fail(how: str) -> Any:
    """Fail in some way."""
    if how in FAILURES:
        raise FAILURES[how]
    return {"nan": float("nan"), "object": object()}[how]


TOOLS = scan(slow, add, add_all, open_vault, fail)


def asgi(app: Any, prefix: str = "") -> Ask:
    async def send(*args: Any, **kwargs: Any) -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://localhost{prefix}/") as client:
            return await client.request(*args, **kwargs)

    return lambda *args, **kwargs: asyncio.run(send(*args, **kwargs))


def wsgi(app: Any, prefix: str = "") -> Ask:
    client = httpx.Client(transport=httpx.WSGITransport(app=app), base_url=f"http://localhost{prefix}/")
    return client.request


@pytest.fixture(params=["asgi", "wsgi", "server", "fastapi", "starlette", "flask"])
def ask(request: pytest.FixtureRequest) -> Any:
    """Ask an application without checks, in each way that it can be served."""
    app = ToolApp(TOOLS, is_open=True)
    if request.param == "server":
        served = small.listening(lambda _: app, "127.0.0.1", 0)
        with served as address, httpx.Client(base_url=address) as client:
            yield client.request
        return
    fastapi = FastAPI()
    fastapi.mount("/agent", app)
    flask = Flask("host")
    flask.wsgi_app = DispatcherMiddleware(flask.wsgi_app, {"/agent": app.wsgi})  # type: ignore[method-assign]
    ways: dict[str, Ask] = {
        "asgi": asgi(app),
        "wsgi": wsgi(app.wsgi),
        "fastapi": asgi(fastapi, "/agent"),
        "starlette": asgi(Starlette(routes=[Mount("/agent", app)]), "/agent"),
        "flask": wsgi(flask, "/agent"),
    }
    yield ways[request.param]


def test_a_call_is_answered_with_its_result(ask):
    answer = ask("POST", "tools/add/1.0.0", json={"a": 1, "b": 2.5})

    assert (answer.status_code, answer.json()) == (200, {"result": 3.5})
    assert answer.headers["content-type"] == "application/json"


def test_without_a_version_the_highest_one_answers(ask):
    assert ask("POST", "tools/add", json={"numbers": [1, 2]}).json() == {"result": 3}


def test_arguments_that_do_not_fit_say_where_and_what(ask):
    answer = ask("POST", "tools/add/1.0.0", json={"a": "1", "c": 2})

    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    found = {one["pointer"]: one["code"] for one in answer.json()["errors"]}
    assert found == {"/a": "type", "/b": "required", "/c": "unknown"}
    assert "Parameters: a, b" in str(answer.json()["errors"])


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"),
    [
        ("POST", "tools/ad", b"{}", 404, "tool_not_found"),
        ("POST", "tools/add/9.0.0", b"{}", 404, "tool_not_found"),
        ("GET", "tools/add", b"", 405, "method_not_allowed"),
        ("POST", "tools/add", b"{", 400, "malformed"),
        ("POST", "tools/add", b"[]", 422, "invalid"),
        ("POST", "tools/add", b"", 422, "invalid"),
        ("POST", "tools/add", b'{"numbers": [' + b"1," * 600_000 + b"1]}", 413, "body_too_large"),
        ("POST", "tools/fail", b'{"how": "value"}', 422, "invalid"),
        ("POST", "tools/fail", b'{"how": "zero"}', 422, "invalid"),
        ("POST", "tools/fail", b'{"how": "own"}', 404, "tool_not_found"),
        ("POST", "tools/fail", b'{"how": "nan"}', 500, "internal_error"),
        ("POST", "tools/fail", b'{"how": "object"}', 500, "internal_error"),
        ("POST", "tools/fail", b'{"how": "json"}', 500, "internal_error"),
        ("POST", "tools/fail", b'{"how": "token"}', 500, "internal_error"),
        ("POST", "tools/fail", b'{"how": "late"}', 500, "internal_error"),
        ("POST", "tools/fail", b'{"how": "else"}', 500, "internal_error"),
    ],
)
def test_every_error_has_a_code(ask, method, path, sent, status, code):
    answer = ask(method, path, content=sent, headers={"content-type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "secret detail" not in answer.text


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_only_json_is_taken(ask, kind):
    answer = ask(
        "POST", "tools/fail", content=b'{"how": "value"}', headers={"content-type": kind} if kind else {}
    )

    assert (answer.status_code, answer.json()["code"]) == (415, "media_type_unsupported")


def test_a_body_whose_length_is_not_told_ends_the_connection():
    app = ToolApp(TOOLS, is_open=True)
    smuggled = b"POST /tools/add HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    head = b"POST /tools/fail HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    chunked = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(smuggled), smuggled)

    for rest in (chunked, b"Content-Length: +10\r\n\r\n" + smuggled):
        with small.listening(lambda _: app, "127.0.0.1", 0) as address:
            port = int(address.rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                connection.sendall(head + rest)
                answer = b"".join(iter(lambda: connection.recv(65_536), b""))

        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1


def test_a_mistake_that_the_function_explains_is_told(ask):
    assert ask("POST", "tools/fail", json={"how": "value"}).json()["detail"] == "There is no such street."


def test_health_names_what_is_served(ask):
    answer = ask("GET", "health").json()

    assert answer["status"] == "ok"
    assert {"add:1.0.0", "add:2.0.0"} <= set(answer["tools"])


def test_a_call_that_takes_too_long_is_given_up():
    answer = asgi(ToolApp(TOOLS, is_open=True))("POST", "tools/slow", json={"seconds": 5})

    assert (answer.status_code, answer.json()["code"], answer.json()["retryable"]) == (504, "timed_out", True)


def test_a_tool_that_needs_a_scope_is_not_served_unchecked():
    with pytest.raises(ValueError, match="open_vault needs a scope"):
        ToolApp(TOOLS)


@pytest.fixture(params=[asgi, lambda app: wsgi(app.wsgi)], ids=["asgi", "wsgi"])
def guarded(request: pytest.FixtureRequest, server: AuthorizationServer) -> Ask:
    """Ask an application that checks tokens."""
    checker = TokenChecker(
        f"{server.url}/introspect", "tools", "secret", audience="http://tools.test", wire=IMPATIENT
    )
    server.tokens["good"] = {"active": True, "scope": "vault:open", "aud": "http://tools.test"}
    server.tokens["other"] = {"active": True, "scope": "mail:send", "aud": "http://tools.test"}
    make: Callable[[Any], Ask] = request.param
    return make(ToolApp(TOOLS, checker=checker))


@pytest.mark.parametrize(
    ("token", "status", "code"),
    [
        ("good", 200, None),
        ("other", 403, "insufficient_scope"),
        ("bad", 401, "invalid_token"),
        (None, 401, "unauthenticated"),
    ],
)
def test_the_tool_checks_the_token_itself(guarded, token, status, code):
    headers = {"authorization": f"Bearer {token}"} if token else {}

    answer = guarded("POST", "tools/open_vault", json={"code": 7}, headers=headers)

    assert (answer.status_code, answer.json().get("code")) == (status, code)
    assert ("www-authenticate" in answer.headers) is (status in {401, 403})


def test_what_needs_no_scope_needs_no_token(guarded):
    assert guarded("POST", "tools/add/1.0.0", json={"a": 1, "b": 1}).status_code == 200


def test_a_registry_that_is_down_opens_nothing(guarded, server):
    server.released.set()
    server._http.shutdown()
    server._http.server_close()

    answer = guarded("POST", "tools/open_vault", json={"code": 7}, headers={"authorization": "Bearer good"})

    assert (answer.status_code, answer.json()["retryable"]) == (503, True)
