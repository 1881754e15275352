"""The bridge called as ASGI: clients that leave, threads that are busy, readers that are slow."""

import asyncio
import io
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication

import pytest
from orjson import loads

from config.bridge import Bridge, Busy, WaitingRoom
from config.bridge_environ import environ_of
from config.bridge_protocol import Message, Scope
from config.bridge_worker import WAITING_PARTS
from tests.config.serving import until

WAIT_SECONDS = 20
REQUEST: Message = {"type": "http.request", "body": b"", "more_body": False}
GONE: Message = {"type": "http.disconnect"}


class Client:
    """The server's side of ASGI: sends `messages`, leaves when told, and keeps what it is sent."""

    def __init__(self, *messages: Message) -> None:
        self._messages = list(messages or (REQUEST,))
        self.sent: list[Message] = []
        self.leaves = asyncio.Event()

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop(0)
        await self.leaves.wait()
        return GONE

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message["body"] for message in self.sent[1:])


class Result:
    """A WSGI result that says whether it was closed."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self.produced = 0
        self.closed = threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        chunk = next(self._chunks)
        self.produced += 1
        return chunk

    def close(self) -> None:
        self.closed.set()


class Gate:
    """A WSGI application that waits in its thread until it is opened."""

    def __init__(self) -> None:
        self.calls = 0
        self.opened = threading.Event()

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
        self.calls += 1
        assert self.opened.wait(WAIT_SECONDS)
        start_response("200 OK", [])
        return [b"done"]


def _scope(method: str = "GET", path: str = "/", **more: Any) -> Scope:
    return {"type": "http", "http_version": "1.1", "method": method, "path": path, "headers": [], **more}


def _returning(result: Iterable[bytes], status: str = "200 OK") -> WSGIApplication:
    def application(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        start_response(status, [("Content-Type", "text/plain")])
        return result

    return application


def _bridge(application: WSGIApplication, **options: Any) -> Bridge:
    return Bridge(application, **({"threads": 1, "max_body_bytes": 100} | options))


def _run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(work(), WAIT_SECONDS))


async def _until(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(until, condition)


def _ask(application: WSGIApplication, *messages: Message, method: str = "GET", **options: Any) -> Client:
    """Send one request and return the client with its answer."""
    clients = []

    async def ask() -> None:
        clients.append(client := Client(*messages))
        await _bridge(application, **options)(_scope(method), client.receive, client.send)

    _run(ask)
    return clients[0]


def test_an_answer_in_memory_goes_back_in_one_part() -> None:
    client = _ask(_returning([b"a", b"b"]))

    assert client.sent == [
        {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]},
        {"type": "http.response.body", "body": b"ab", "more_body": False},
    ]


def test_a_request_is_not_run_when_its_client_leaves_while_sending_it() -> None:
    gate = Gate()

    client = _ask(gate, {"type": "http.request", "body": b"ab", "more_body": True}, GONE)

    assert gate.calls == 0
    assert client.sent == []


def test_a_body_over_the_cap_is_never_run() -> None:
    gate = Gate()

    client = _ask(gate, {"type": "http.request", "body": b"x" * 101, "more_body": True})

    assert client.status == 413
    assert loads(client.body)["detail"] == "The body is larger than 100 bytes."
    assert gate.calls == 0


def test_an_error_says_nothing_of_its_cause() -> None:
    def application(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
        raise ValueError("a secret")

    client = _ask(application)

    assert client.status == 500
    assert loads(client.body)["code"] == "internal_error"
    assert b"secret" not in client.body


def test_a_view_that_exits_still_gets_an_answer() -> None:
    def application(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
        raise SystemExit(1)

    assert _ask(application).status == 500


def test_an_application_that_never_starts_its_answer_fails() -> None:
    def application(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
        return [b"body"]

    assert _ask(application).status == 500


def test_a_generator_may_start_its_answer_late() -> None:
    def application(environ: dict[str, Any], start_response: StartResponse) -> Iterator[bytes]:
        start_response("201 Created", [])
        yield b"late"

    client = _ask(application)

    assert client.status == 201
    assert client.body == b"late"


def test_what_is_written_imperatively_comes_first() -> None:
    def application(environ: dict[str, Any], start_response: StartResponse) -> list[bytes]:
        start_response("200 OK", [])(b"written ")
        return [b"returned"]

    assert _ask(application).body == b"written returned"


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", "200 OK"), ("GET", "204 No Content"), ("GET", "304 Not Modified")]
)
def test_an_answer_without_body_closes_its_result(method: str, status: str) -> None:
    result = Result([b"one", b"two"])

    client = _ask(_returning(result, status), method=method)

    assert client.body == b""
    assert result.closed.wait(WAIT_SECONDS)


def test_a_problem_has_no_body_for_head() -> None:
    assert _ask(Gate(), method="HEAD", max_body_bytes=-1).sent[1]["body"] == b""


def test_a_stream_is_closed_when_its_client_leaves() -> None:
    endless = Result(iter(lambda: b"x", b""))

    async def leave() -> None:
        client = Client()
        client.leaves.set()
        await _bridge(_returning(endless))(_scope(), client.receive, client.send)
        assert client.sent[-1]["more_body"]

    _run(leave)
    assert endless.closed.wait(WAIT_SECONDS)


def test_a_stream_is_closed_when_the_server_refuses_to_send() -> None:
    endless = Result(iter(lambda: b"x", b""))

    async def refuse() -> None:
        async def send(message: Message) -> None:
            raise OSError("closed")

        await _bridge(_returning(endless))(_scope(), Client().receive, send)

    _run(refuse)
    assert endless.closed.wait(WAIT_SECONDS)


def test_a_stream_waits_for_a_slow_client() -> None:
    stream = Result([b"x"] * 100)
    ahead = WAITING_PARTS + 2  # one is being sent, one waits in the worker's hand

    async def read_slowly() -> None:
        client = Client()
        leads = []

        async def send(message: Message) -> None:
            if not client.sent:
                await _until(lambda: stream.produced >= ahead)
            leads.append(stream.produced - max(len(client.sent) - 1, 0))
            client.sent.append(message)

        await _bridge(_returning(stream))(_scope(), client.receive, send)
        assert len(client.body) == 100
        assert max(leads) == ahead

    _run(read_slowly)


def test_a_stream_gives_its_thread_up_when_the_client_stops_reading() -> None:
    stream = Result([b"x"] * 100)

    async def stop_reading() -> None:
        client = Client()
        resumes = asyncio.Event()

        async def send(message: Message) -> None:
            await resumes.wait()
            client.sent.append(message)

        bridge = _bridge(_returning(stream), stall_seconds=0.05)
        served = asyncio.create_task(bridge(_scope(), client.receive, send))
        await _until(stream.closed.is_set)
        resumes.set()
        await served
        assert client.sent[-1]["more_body"]

    _run(stop_reading)


def test_an_answer_that_nobody_waits_for_is_dropped_and_closed() -> None:
    gate, result = threading.Event(), Result([b"late"])

    def application(environ: dict[str, Any], start_response: StartResponse) -> Result:
        assert gate.wait(WAIT_SECONDS)
        start_response("200 OK", [])
        return result

    async def leave_while_it_runs() -> None:
        bridge, client = _bridge(application), Client()
        served = asyncio.create_task(bridge(_scope(), client.receive, client.send))
        await asyncio.sleep(0)
        served.cancel()
        await asyncio.gather(served, return_exceptions=True)
        gate.set()
        assert client.sent == []

    _run(leave_while_it_runs)
    assert result.closed.wait(WAIT_SECONDS)


def test_one_request_too_many_is_told_to_come_back() -> None:
    gate = Gate()

    async def crowd() -> None:
        bridge = _bridge(gate, threads=1, waiting=1)
        inside = [Client(), Client()]
        served = [asyncio.create_task(bridge(_scope(), c.receive, c.send)) for c in inside]
        await asyncio.sleep(0)
        late = Client()
        await bridge(_scope(), late.receive, late.send)
        gate.opened.set()
        await asyncio.gather(*served)

        assert [c.status for c in inside] == [200, 200]
        assert late.status == 503
        assert (b"retry-after", b"1") in late.sent[0]["headers"]
        assert loads(late.body)["code"] == "busy"

    _run(crowd)


def test_a_request_that_waits_is_not_run_when_its_client_leaves() -> None:
    gate = Gate()

    async def leave_while_waiting() -> None:
        bridge = _bridge(gate, threads=1, waiting=1)
        first, second, third = Client(), Client(), Client()
        running = asyncio.create_task(bridge(_scope(), first.receive, first.send))
        await _until(lambda: gate.calls == 1)
        second.leaves.set()
        await bridge(_scope(), second.receive, second.send)
        waiting = asyncio.create_task(bridge(_scope(), third.receive, third.send))  # into the free place
        await asyncio.sleep(0)
        gate.opened.set()
        await asyncio.gather(running, waiting)

        assert second.sent == []
        assert third.status == 200
        assert gate.calls == 2

    _run(leave_while_waiting)


def test_the_waiting_room_refuses_whom_it_cannot_hold() -> None:
    room = WaitingRoom(threads=1, waiting=1)

    assert [room.enter(), room.enter()] == [False, True]
    with pytest.raises(Busy) as refused:
        room.enter()
    assert refused.value.retry_after_seconds == 1
    room.leave()
    assert room.enter() is True


def test_a_unix_socket_has_no_remote_address() -> None:
    scope = _scope(server=("/run/web.sock", None), client=None, scheme="https")

    environ = environ_of(scope, io.BytesIO(), 0)

    assert environ["REMOTE_ADDR"] == ""
    assert environ["SERVER_PORT"] == "80"
    assert environ["wsgi.url_scheme"] == "https"


@pytest.mark.parametrize(
    ("root", "path", "expected"),
    [
        ("/api", "/api/tools", ("/api", "/tools")),
        ("/api", "/api", ("/api", "")),
        ("/api/", "/api/", ("/api", "/")),
        ("/api", "/apiary", ("/api", "/apiary")),
        ("", "/café", ("", "/caf\xc3\xa9")),
    ],
)
def test_the_prefix_of_a_mount_is_the_script_name(root: str, path: str, expected: tuple[str, str]) -> None:
    environ = environ_of(_scope(path=path, root_path=root), io.BytesIO(), 0)

    assert (environ["SCRIPT_NAME"], environ["PATH_INFO"]) == expected
