"""A tool server that fails in every way that tool servers fail: the path says how."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


class FaultyServer:
    """Answers on 127.0.0.1: `/ok`, `/echo`, `/500`, `/422`, `/401`, `/429`, `/garbage`, `/html`, `/reset`,
    `/half`, `/huge`, `/hang`, `/slow`, `/redirect`; `/switch` does as `mode` says."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.seen: list[dict[str, Any]] = []
        self.by_id: Counter[str] = Counter()
        self.running: Counter[str] = Counter()
        self.most_running: Counter[str] = Counter()
        self.mode = "ok"
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._server: asyncio.Server | None = None

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    @contextmanager
    def serving(self) -> Iterator["FaultyServer"]:
        thread = threading.Thread(target=self._run, name="faulty-server")
        thread.start()
        self._up.wait(10)
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            thread.join(10)

    def forget(self) -> None:
        for counted in (self.calls, self.by_id, self.running, self.most_running):
            counted.clear()
        self.seen.clear()
        self.mode = "ok"

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._talk, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self._up.set()
        self._loop.run_forever()
        self._server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path = lines[0].split()[1].strip("/")
        kind = self.mode if path.startswith("switch") else path.partition("?")[0]
        self.calls[path] += 1
        self.by_id[headers.get("idempotency-key", "")] += 1
        self.seen.append({"path": path, "headers": headers, "json": json.loads(body or b"null")})
        self.running[path] += 1
        self.most_running[path] = max(self.most_running[path], self.running[path])
        try:
            return await self._answer(kind, body, writer)
        finally:
            self.running[path] -= 1

    async def _answer(self, kind: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        if kind == "hang":
            await asyncio.sleep(60)
        if kind == "slow":
            await asyncio.sleep(0.25)
        if kind == "reset":
            writer.transport.abort()
            return False
        writer.write(_answer(kind, body))
        await writer.drain()
        return kind not in {"half", "garbage"}


def _answer(kind: str, body: bytes) -> bytes:
    if kind == "garbage":
        return b"\x00\x01 this is no HTTP\r\n\r\n"
    if kind == "huge":
        return _http(200, b'{"result": "' + b"x" * 300_000 + b'"}')
    if kind == "half":
        return _http(200, b'{"result": 1}')[:-4]
    answers = {
        "500": (500, b"oops", "text/plain"),
        "503": (503, b"{}", "application/json"),
        "401": (401, b'{"detail": "no token", "code": "unauthenticated"}', "application/problem+json"),
        "429": (429, b'{"detail": "slowly", "retry_after_seconds": 7}', "application/problem+json"),
        "422": (422, json.dumps(_PROBLEM).encode(), "application/problem+json"),
        "broken": (200, b'{"result": ', "application/json"),
        "html": (200, b"<p>a page</p>", "text/html"),
        "redirect": (302, b"", "text/plain"),
        "echo": (200, b'{"result": ' + body + b"}", "application/json"),
    }
    return _http(*answers.get(kind, (200, b'{"result": {"said": "ok"}}', "application/json")))


_PROBLEM = {
    "detail": "There is no such city.",
    "code": "city_unknown",
    "errors": [{"pointer": "/city", "code": "unknown", "detail": "Name a city."}],
    "nearest": ["Berlin"],
}


def _http(status: int, body: bytes, media_type: str = "application/json") -> bytes:
    extra = "Location: http://127.0.0.1:9/elsewhere\r\n" if status == 302 else ""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {media_type}\r\n{extra}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
