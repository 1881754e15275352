"""The library: what an agent adds to a request, what an import takes, how many packages it brings."""

import json
import re
import subprocess
import sys
import threading
import time
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from statistics import median
from typing import Any

import httpx
from packaging.requirements import Requirement

from bench.measure import Variant
from config.env import CHECKOUT
from toolroster import DynamicToolAgent, agent_tool, scan

UNIT = "call"

_IMPORTS = 7
_TOOL = {
    "name": "send",
    "endpoint": "/tools/send",
    "scopes": [],
    "description": "Send a message.",
    "parameters": {"to": {"type": "string", "required": True}, "subject": {"type": "string"}},
    "returns": "",
}
_ARGUMENTS = {"to": "ann@example.com", "subject": "Report"}


@agent_tool
def send(to: str, subject: str = "") -> dict[str, str]:
    """Send a message."""
    return {"to": to, "subject": subject}


def variants() -> list[Variant]:
    """Return a bare request and the agent's, to a server in this process; and a call of a function."""
    port = _serve()
    client = httpx.Client(timeout=5)
    url = f"http://127.0.0.1:{port}/tools/send"
    agent = DynamicToolAgent("bench", discovery_url=f"http://127.0.0.1:{port}")
    [tool] = scan(send)
    bare = "httpx: post and json"
    return [
        Variant(bare, lambda: client.post(url, json=_ARGUMENTS).json()),
        Variant("use_tool", lambda: agent.use_tool("send", **_ARGUMENTS), against=bare),
        Variant("a served function: check, call, answer", lambda: tool.call(_ARGUMENTS)),
    ]


def facts() -> dict[str, float]:
    """Return milliseconds of imports beyond the interpreter's own start, and the number of packages."""
    nothing = _seconds("pass")
    return {
        "ms of `import toolroster`": 1000 * (_seconds("import toolroster") - nothing),
        "ms of `from toolroster import Provider, agent_tool`": 1000
        * (_seconds("from toolroster import Provider, agent_tool") - nothing),
        "packages that `pip install toolroster` brings, itself among them": len(packages()),
    }


def packages() -> set[str]:
    """Return the names of all that the library needs, and of what that needs."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    found, waiting = {"toolroster"}, list(project["dependencies"])
    while waiting:
        needed = Requirement(waiting.pop())
        name = re.sub(r"[-_.]+", "-", needed.name).lower()
        if name in found or (needed.marker is not None and not needed.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        waiting += metadata.requires(name) or []
    return found


def _seconds(code: str) -> float:
    return median(_once(code) for _ in range(_IMPORTS))


def _once(code: str) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=True)  # noqa: S603 - our own words
    return time.perf_counter() - begun


def _serve() -> int:
    """Serve discovery and the tool; return the port."""
    answers: dict[str, Any] = {"GET": {"tools": []}, "POST": {"result": {"id": "1"}}}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps(answers[self.command]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 - names of the base class

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    answers["GET"]["tools"] = [_TOOL | {"host": "127.0.0.1", "port": server.server_port}]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port
