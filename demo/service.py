"""One tool service: answers calls over HTTP, registers its tools, beats, and gives its leases back."""

import json
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from toolroster.errors import ToolrosterError
from toolroster.oauth import TokenChecker, bearer_token, challenge_of

logger = logging.getLogger(__name__)

_MAX_BODY = 1024 * 1024
_BACKOFF_SECONDS = (1, 1, 1, 1, 2, 2, 4, 8, 15)


@dataclass(frozen=True, slots=True)
class DemoTool:
    """A registration document without its endpoint's address, the path it is served at, and its function."""

    document: Mapping[str, Any]
    path: str
    function: Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and JSON of a call, and what token it needed (`WWW-Authenticate`)."""

    status: int
    content: Any
    challenge: str | None = None


class Service:
    """Serves tools until SIGTERM or SIGINT, and survives a registry that is down."""

    def __init__(
        self,
        tools: Sequence[DemoTool],
        *,
        registry_url: str,
        name: str,
        port: int,
        auth: httpx.Auth | None = None,
        checker: TokenChecker | None = None,
    ) -> None:
        self._tools = {tool.path: tool for tool in tools}
        self._server = _listen(port, self._answer)
        self._instance = f"{name}-{socket.gethostname()}-{os.getpid()}"
        self._client = httpx.Client(base_url=registry_url, timeout=5, auth=auth)
        self._checker = checker
        self._stopping = threading.Event()

    @property
    def url(self) -> str:
        """Where the tools are served."""
        return f"http://localhost:{self._server.server_port}"

    def run(self) -> None:
        """Serve and beat until a signal comes."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        logger.info("%s tools at %s", len(self._tools), self.url)
        self._keep_alive()
        self._deregister()
        self._server.shutdown()

    def _keep_alive(self) -> None:
        """Register, beat as the registry asks, and register again when it does not know us."""
        failures = 0
        wait: float = 0
        while not self._stopping.wait(wait):
            try:
                wait = self._beat() if failures == 0 and wait else self._register()
                failures = 0
            except (httpx.HTTPError, ToolrosterError) as error:
                wait = _BACKOFF_SECONDS[min(failures, len(_BACKOFF_SECONDS) - 1)]
                failures += 1
                if failures == len(_BACKOFF_SECONDS):
                    logger.warning("the registry does not answer: %s", error)

    def _register(self) -> float:
        form = {
            "provider_instance": self._instance,
            "tools": [self._document(t) for t in self._tools.values()],
        }
        answer = self._client.post("/api/tools/register", json=form).raise_for_status().json()
        for result in answer["results"]:
            if result["outcome"] == "refused":
                logger.error("refused: %s", result["problem"]["detail"])
        logger.info("registered %s tools", len(answer["results"]))
        return self._beat()

    def _beat(self) -> float:
        beat = {"tool_ids": self._ids(), "provider_instance": self._instance}
        response = self._client.post("/api/tools/heartbeat", json=beat)
        if response.status_code == httpx.codes.NOT_FOUND:
            return self._register()
        return float(response.raise_for_status().json()["next_beat_seconds"])

    def _deregister(self) -> None:
        try:
            form = {"tool_ids": self._ids(), "provider_instance": self._instance}
            self._client.post("/api/tools/deregister", json=form)
        except (httpx.HTTPError, ToolrosterError):
            logger.info("the registry is gone already")

    def _document(self, tool: DemoTool) -> dict[str, Any]:
        return {**tool.document, "endpoint": {"url": self.url + tool.path}}

    def _ids(self) -> list[str]:
        documents = (tool.document for tool in self._tools.values())
        return [f"{d['provider']}:{d['name']}:{d['version']}" for d in documents]

    def _answer(self, path: str, authorization: list[str], body: bytes) -> Answer:
        """Answer a call. The tool checks the token itself: seeing is not calling."""
        tool = self._tools.get(path)
        if tool is None:
            return Answer(404, {"code": "not_found", "detail": f"No tool at {path}."})
        try:
            self._check(tool, authorization)
            arguments = json.loads(body or b"{}")
            return Answer(200, {"result": tool.function(**arguments)})
        except ToolrosterError as error:
            return Answer(error.status, error.problem(), challenge_of(error))
        except (TypeError, ValueError, ArithmeticError) as error:
            return Answer(422, {"code": "invalid", "detail": str(error)})

    def _check(self, tool: DemoTool, authorization: list[str]) -> None:
        scopes = tool.document.get("scopes", ())
        if self._checker is not None and scopes:
            self._checker.check(bearer_token(authorization), scopes)


def _listen(port: int, answer: Callable[[str, list[str], bytes], Answer]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            authorization = self.headers.get_all("Authorization", [])
            given = answer(self.path, authorization, self.rfile.read(min(length, _MAX_BODY)))
            encoded = json.dumps(given.content, ensure_ascii=False).encode()
            self.send_response(given.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            if given.challenge is not None:
                self.send_header("WWW-Authenticate", given.challenge)
            self.end_headers()
            self.wfile.write(encoded)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            logger.info("call %s", args[0] if args else format)

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError:
        return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
