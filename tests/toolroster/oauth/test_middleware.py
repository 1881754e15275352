import asyncio
import io
import json
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment
from wsgiref.validate import validator

import pytest

from tests.toolroster.oauth.server import IMPATIENT, AuthorizationServer, Clock, Reply
from toolroster.oauth import BearerMiddleware, CheckedToken, TokenChecker, WSGIBearerMiddleware
from toolroster.oauth.middleware import ASGIReceive, ASGISend, Rules

METADATA = "http://tool.test/.well-known/oauth-protected-resource"
RULES: Rules = {"/health": None, "/tools": [], "/tools/send": ["email:send"], "/tools/wéb": ["web:read"]}
Answered = tuple[int, dict[str, str], Any]


@pytest.fixture
def checker(server: AuthorizationServer) -> TokenChecker:
    server.tokens["good"] = {"active": True, "sub": "agent", "scope": "email:send", "aud": "http://tool.test"}
    server.tokens["bare"] = {"active": True, "sub": "other", "aud": "http://tool.test"}
    return TokenChecker(
        server.url + "/introspect", "tool", "hush", audience="http://tool.test", wire=IMPATIENT, clock=Clock()
    )


def subject(token: CheckedToken | None) -> bytes:
    return json.dumps(token and token.subject).encode()


async def asgi_app(scope: Any, receive: ASGIReceive, send: ASGISend) -> None:
    if scope["type"] != "http":
        await send({"type": f"{scope['type']}.reached"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": subject(scope.get("toolroster.token"))})


@validator
def wsgi_app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "application/json")])
    return [subject(environ.get("toolroster.token"))]


def asgi_messages(checker: TokenChecker, scope: dict[str, Any], rules: Rules = RULES) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(dict(message))

    async def receive() -> Any:
        raise AssertionError("the middleware reads no body")

    protected = BearerMiddleware(asgi_app, checker, rules=rules, resource_metadata=METADATA)
    asyncio.run(protected(scope, receive, send))
    return sent


def asgi(checker: TokenChecker, path: str, *authorization: str, rules: Rules = RULES) -> Answered:
    headers = [(b"Authorization", value.encode("latin-1")) for value in authorization]
    scope = {"type": "http", "path": path, "query_string": b"access_token=good", "headers": headers}
    start, body = asgi_messages(checker, scope, rules)
    named = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], named, json.loads(body["body"])


def wsgi(checker: TokenChecker, path: str, *authorization: str, rules: Rules = RULES) -> Answered:
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": "GET",
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode().decode("latin-1"),
        "QUERY_STRING": "access_token=good",
        "SERVER_NAME": "tool.test",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    if authorization:
        environ["HTTP_AUTHORIZATION"] = ",".join(authorization)
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        started.extend([status, headers])

    protected = WSGIBearerMiddleware(wsgi_app, checker, rules=rules, resource_metadata=METADATA)
    answer: Any = validator(protected)(environ, start_response)
    body = b"".join(answer)
    answer.close()
    status, headers = started
    return int(status.split()[0]), {name.lower(): value for name, value in headers}, json.loads(body)


both = pytest.mark.parametrize("ask", [asgi, wsgi])


@both
def test_a_token_that_opens_the_path_reaches_the_application(checker, ask):
    assert ask(checker, "/tools/send", "Bearer good") == (200, ask(checker, "/health")[1], "agent")


@both
def test_an_open_path_needs_no_token(checker, server, ask):
    status, _, found = ask(checker, "/health")

    assert (status, found) == (200, None)
    assert server.asked == []


@both
def test_without_a_token_the_challenge_says_what_is_needed(checker, ask):
    status, headers, problem = ask(checker, "/tools/send")

    assert (status, problem["code"]) == (401, "unauthenticated")
    assert headers["www-authenticate"] == (
        f'Bearer realm="tools", scope="email:send", resource_metadata="{METADATA}"'
    )
    assert headers["content-type"] == "application/problem+json"
    assert headers["cache-control"] == "no-store"
    assert headers["content-length"] == str(len(json.dumps(problem)))


@both
def test_a_token_in_the_query_string_does_not_count(checker, server, ask):
    ask(checker, "/tools/send")  # both ways of asking put one there

    assert server.asked == []


@both
def test_an_invalid_token_is_401(checker, ask):
    status, headers, problem = ask(checker, "/tools/send", "Bearer bad")

    assert (status, problem["code"]) == (401, "invalid_token")
    assert 'error="invalid_token"' in headers["www-authenticate"]
    assert 'scope="email:send"' in headers["www-authenticate"]


@both
def test_a_token_without_the_scope_is_403(checker, ask):
    status, headers, problem = ask(checker, "/tools/send", "Bearer bare")

    assert (status, problem["code"]) == (403, "insufficient_scope")
    assert 'error="insufficient_scope"' in headers["www-authenticate"]
    assert 'scope="email:send"' in headers["www-authenticate"]


@both
def test_several_headers_are_400(checker, server, ask):
    status, headers, _ = ask(checker, "/tools/send", "Bearer good", "Bearer good")

    assert status == 400
    assert 'error="invalid_request"' in headers["www-authenticate"]
    assert server.asked == []


@both
def test_a_server_that_is_down_is_503_and_lets_nobody_in(checker, server, ask):
    server.next(Reply(status=503, headers={"Retry-After": "7"}))

    status, headers, problem = ask(checker, "/tools/send", "Bearer good")

    assert (status, headers["retry-after"], problem["retryable"]) == (503, "7", True)
    assert "www-authenticate" not in headers


@both
def test_without_a_time_to_come_back_none_is_named(checker, server, ask):
    server.next(Reply(status=500))

    status, headers, _ = ask(checker, "/tools/send", "Bearer good")

    assert status == 503
    assert "retry-after" not in headers


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/tools", 200),
        ("/tools/", 200),
        ("/tools/other", 200),
        ("/tools/sending", 200),
        ("/tools/send", 403),
        ("/tools/send/", 403),
        ("/tools/send/now", 403),
        ("/tools/wéb", 403),
        ("/toolsmith", 403),
        ("//tools", 403),
        ("/tools/../tools", 403),
        ("/tools/./send", 403),
        ("/health/../tools/send", 403),
        ("/", 403),
        ("", 403),
    ],
)
@both
def test_the_longest_rule_counts_and_a_path_without_one_is_closed(checker, ask, path, status):
    assert ask(checker, path, "Bearer bare")[0] == status


@both
def test_a_rule_for_the_root_covers_all(checker, ask):
    assert ask(checker, "/any/where", "Bearer bare", rules={"/": []})[0] == 200


@both
def test_a_function_can_be_the_rule(checker, ask):
    rules = {"/open": None, "/closed": ["email:send"]}.__getitem__

    assert [ask(checker, path, rules=rules)[0] for path in ("/open", "/closed")] == [200, 401]


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ([(b"authorization", b"Bearer good")], {"type": "websocket.reached"}),
        ([], {"type": "websocket.close", "code": 1008}),
    ],
)
def test_a_websocket_needs_a_token_before_it_opens(checker, headers, message):
    scope = {"type": "websocket", "path": "/tools/send", "query_string": b"", "headers": headers}

    assert asgi_messages(checker, scope) == [message]


def test_the_life_of_the_application_needs_no_token(checker):
    assert asgi_messages(checker, {"type": "lifespan"}) == [{"type": "lifespan.reached"}]


def test_the_server_s_own_scope_is_left_as_it_is(checker):
    scope = {"type": "http", "path": "/tools", "headers": [(b"authorization", b"Bearer good")]}

    asgi_messages(checker, scope)

    assert "toolroster.token" not in scope
