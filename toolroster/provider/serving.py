"""Serve tools over HTTP: check token and arguments, call the function, answer JSON or problem details.

    POST /tools/{name}             the only version here, or the highest one
    POST /tools/{name}/{version}
    GET  /health

The tool validates, not the registry (seeds/000): seeing a tool is not calling it.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote
from wsgiref.types import StartResponse, WSGIEnvironment

from toolroster import semver, strict_json
from toolroster.errors import (
    BodyTooLarge,
    DocumentInvalid,
    Fault,
    Malformed,
    MediaTypeUnsupported,
    MethodNotAllowed,
    PermissionMissing,
    TimedOut,
    ToolNotFound,
    ToolrosterError,
    Unauthenticated,
)
from toolroster.oauth import TokenChecker, bearer_token, challenge_of
from toolroster.provider.tool import AgentTool

logger = logging.getLogger("toolroster.provider")

MAX_BODY_BYTES = 1024 * 1024
_JSON, _PROBLEM = "application/json", "application/problem+json"


def path_of(tool: AgentTool, tools: Sequence[AgentTool]) -> str:
    """Return the path of a tool among those that are served beside it."""
    has_others = sum(one.name == tool.name for one in tools) > 1
    return f"/tools/{tool.name}/{quote(tool.version)}" if has_others else f"/tools/{tool.name}"


@dataclass(frozen=True, slots=True)
class Request:
    """What is read of a request; `path` is below the place where the application is mounted."""

    method: str
    path: str
    content_type: str = ""
    authorization: Sequence[str] = ()
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers and body of an answer."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = field(repr=False)


class ToolApp:
    """An application of the tools: ASGI when it is called, WSGI by `wsgi`.

    `checker` asks about the tokens of callers. Without one a tool that needs scopes is refused here,
    unless `is_open`: then everybody may call everything. A function that raises ValueError or
    ArithmeticError says by its text what was wrong with the call (422); any other exception is a 500
    without details, and logged.
    """

    def __init__(
        self, tools: Sequence[AgentTool], *, checker: TokenChecker | None = None, is_open: bool = False
    ) -> None:
        guarded = [tool.name for tool in tools if tool.scopes]
        if guarded and checker is None and not is_open:
            raise ValueError(
                f"{guarded[0]} needs a scope, and nothing here checks tokens: give a client's id and secret,"
                " a checker, or is_open=True."
            )
        self._tools = _by_path(tools)
        self._checker = None if is_open else checker

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
        send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ) -> None:
        """Answer a request of ASGI."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            reply = await self.answer_async(_asgi_request(scope, await _asgi_body(receive)))
            headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in reply.headers]
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            await send({"type": "http.response.body", "body": reply.body})
        else:
            await send({"type": "websocket.close", "code": 1008})

    def wsgi(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request of WSGI."""
        try:
            reply = self.answer(_wsgi_request(environ))
        except Malformed as error:
            reply = problem_reply(error)
        start_response(f"{reply.status} {HTTPStatus(reply.status).phrase}", list(reply.headers))
        return [reply.body]

    def answer(self, request: Request) -> Reply:
        """Answer a request in this thread."""
        try:
            if request.method == "GET" and request.path == "/health":
                return self._health()
            tool = self._tool(request)
            if tool.scopes and self._checker is not None:
                self._checker.check(bearer_token(request.authorization), tool.scopes)
            given = tool.python(_arguments(request))
            with _as_failure():
                result = tool.run(given)
            return _result(tool, result)
        except Exception as error:  # noqa: BLE001 - every error has an answer
            return problem_reply(error)

    async def answer_async(self, request: Request) -> Reply:
        """Answer a request on the running event loop."""
        try:
            if request.method == "GET" and request.path == "/health":
                return self._health()
            tool = self._tool(request)
            if tool.scopes and self._checker is not None:
                await self._checker.check_async(bearer_token(request.authorization), tool.scopes)
            given = tool.python(_arguments(request))
            with _as_failure():
                result = await _in_time(tool.run_async(given), tool.definition.policy.timeout_ms)
            return _result(tool, result)
        except Exception as error:  # noqa: BLE001 - every error has an answer
            return problem_reply(error)

    def _tool(self, request: Request) -> AgentTool:
        tool = self._tools.get(unquote(request.path).rstrip("/"))
        if tool is None:
            names = sorted({one.name for one in self._tools.values()})
            raise ToolNotFound(f"No tool is at {request.path[:200]!r}.", nearest=names[:10])
        if request.method != "POST":
            raise MethodNotAllowed("A tool is called with POST.")
        return tool

    def _health(self) -> Reply:
        names = sorted({f"{one.name}:{one.version}" for one in self._tools.values()})
        return _reply(200, _JSON, {"status": "ok", "tools": names})


def _by_path(tools: Sequence[AgentTool]) -> dict[str, AgentTool]:
    rising = sorted(tools, key=lambda tool: semver.version_key(tool.version))
    versions = {f"/tools/{tool.name}/{tool.version}": tool for tool in rising}
    return {f"/tools/{tool.name}": tool for tool in rising} | versions


class _Failed(Exception):
    """A function failed, and its caller could not help it; the cause is for the log."""


@contextmanager
def _as_failure() -> Iterator[None]:
    """Let through what a function says to its caller; what else it raises is its own failure.

    That it may not call something itself (401, 403) does not mean that its caller may not call it.
    """
    try:
        yield
    except (Unauthenticated, PermissionMissing) as error:
        raise _Failed from error
    except ToolrosterError:
        raise
    except ArithmeticError as error:
        raise DocumentInvalid(str(error) or type(error).__name__) from error
    except Exception as error:
        if type(error) is ValueError:  # its subclasses are of those who read JSON, certificates, …
            raise DocumentInvalid(str(error) or "The arguments do not fit.") from error
        raise _Failed from error


async def _in_time(work: Awaitable[Any], timeout_ms: int) -> Any:
    try:
        async with asyncio.timeout(timeout_ms / 1000) as limit:
            return await work
    except TimeoutError as error:
        if not limit.expired():  # of the function itself
            raise
        raise TimedOut(f"The tool did not answer within {timeout_ms} ms.") from error


def _arguments(request: Request) -> Mapping[str, Any]:
    # Only JSON: a page of another site can send forms and texts to a service on its reader's machine.
    if request.content_type.partition(";")[0].strip().lower() != _JSON:
        raise MediaTypeUnsupported("Send the arguments as application/json.")
    if len(request.body) > MAX_BODY_BYTES:
        raise BodyTooLarge(f"A call has at most {MAX_BODY_BYTES} bytes.")
    arguments = strict_json.loads(request.body or b"{}")
    if not isinstance(arguments, dict):
        raise DocumentInvalid("Arguments are a JSON object.", errors=[Fault("", "type", "Send an object.")])
    return arguments


def _result(tool: AgentTool, result: Any) -> Reply:
    try:
        return _reply(200, _JSON, {"result": tool.jsonable(result)})
    except (ValueError, TypeError, RecursionError) as error:
        raise _Failed from error


def problem_reply(error: Exception) -> Reply:
    """Return an error as problem details."""
    if not isinstance(error, ToolrosterError):
        logger.error("a tool failed", exc_info=error.__cause__ or error)
        error = ToolrosterError("The tool failed; its provider has the details.")
    reply = _reply(error.status, _PROBLEM, error.problem())
    headers = [*reply.headers]
    if (challenge := challenge_of(error)) is not None:
        headers.append(("WWW-Authenticate", challenge))
    if isinstance(error, MethodNotAllowed):
        headers.append(("Allow", "POST"))
    if error.retry_after_seconds is not None:
        headers.append(("Retry-After", str(error.retry_after_seconds)))
    return Reply(reply.status, headers, reply.body)


def _reply(status: int, media_type: str, content: Any) -> Reply:
    body = json.dumps(content, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    headers = (
        ("Content-Type", media_type),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
    )
    return Reply(status, headers, body)


def _asgi_request(scope: Mapping[str, Any], body: bytes) -> Request:
    root, path = scope.get("root_path", ""), scope["path"]
    sent: dict[bytes, list[str]] = {}
    for name, value in scope["headers"]:
        sent.setdefault(name.lower(), []).append(value.decode("latin-1"))
    below = path.removeprefix(root) if root and path.startswith(root) else path
    kind = sent.get(b"content-type", [""])[0]
    return Request(scope["method"], below or "/", kind, sent.get(b"authorization", []), body)


async def _asgi_body(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> bytes:
    body, is_more = b"", True
    while is_more:
        message = await receive()
        if len(body) <= MAX_BODY_BYTES:  # the rest is read and dropped: a client that writes does not listen
            body += message.get("body", b"")
        is_more = message["type"] == "http.request" and message.get("more_body", False)
    return body


def _wsgi_request(environ: WSGIEnvironment) -> Request:
    path = str(environ.get("PATH_INFO") or "/").encode("latin-1").decode("utf-8", "replace")
    sent = [environ["HTTP_AUTHORIZATION"]] if "HTTP_AUTHORIZATION" in environ else []
    kind = str(environ.get("CONTENT_TYPE") or "")
    return Request(str(environ["REQUEST_METHOD"]), path, kind, sent, _wsgi_body(environ))


def _wsgi_body(environ: WSGIEnvironment) -> bytes:
    """Read a body up to one byte over the limit; one whose length is not told only where it has an end."""
    length = str(environ.get("CONTENT_LENGTH") or "")
    if length.isdecimal():
        return bytes(environ["wsgi.input"].read(min(int(length), MAX_BODY_BYTES + 1)))
    if environ.get("wsgi.input_terminated"):
        return bytes(environ["wsgi.input"].read(MAX_BODY_BYTES + 1))
    if length or "HTTP_TRANSFER_ENCODING" in environ:
        raise Malformed("Send the length of the body (Content-Length).")
    return b""


async def _live(
    receive: Callable[[], Awaitable[MutableMapping[str, Any]]],
    send: Callable[[MutableMapping[str, Any]], Awaitable[None]],
) -> None:
    """Nothing is started and nothing is stopped; servers want to hear that."""
    while (await receive())["type"] == "lifespan.startup":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})
