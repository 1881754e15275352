"""The one application: what is native, what goes to Django, and how it starts."""

import asyncio
import gc
import os
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import psycopg
import pytest
from django.db import OperationalError, connections
from django.utils import timezone

from config import asgi, startup
from config.bridge import Bridge
from config.bridge_protocol import Message, Receive, Scope, Send
from config.embedded import addresses
from config.startup import Beginning
from config.wsgi import application as django_application
from oauth.principal import everything
from registry.api.problems import MEDIA_TYPE
from registry.models import LeaseWatch
from registry.services.registration import Registering, register
from tests.config.serving import served

_END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asgi") / "log"


@pytest.fixture(scope="module")
def client(log: Path) -> Iterator[httpx.Client]:
    with (
        served("config.asgi:application", log) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=20) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/health/live", {"X-Long": "x" * 40_000}),
        ("/health/live", {f"X-{number}": "x" * 1000 for number in range(40)}),
        ("/health/live", {"Authorization": "Bearer " + "x" * 40_000}),
        ("/health/live?" + "x" * 40_000, {}),
    ],
)
def test_a_head_over_32_kilobytes_is_refused(
    client: httpx.Client, path: str, headers: dict[str, str]
) -> None:
    answer = client.get(path, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (431, "headers_too_large")
    assert answer.headers["Content-Type"] == MEDIA_TYPE
    assert client.get("/health/live", headers={"X-Short": "x" * 20_000}).status_code == 200


def test_django_answers(client: httpx.Client) -> None:
    answer = client.get("/health/live", headers={"X-Request-Id": "abc"})

    assert answer.json() == {"status": "alive"}
    assert answer.headers["X-Request-Id"] == "abc"


def test_an_unknown_address_is_a_problem(client: httpx.Client) -> None:
    answer = client.get("/no/such/address")

    assert answer.status_code == 404
    assert answer.headers["Content-Type"] == MEDIA_TYPE


def test_static_files_are_streamed_whole(client: httpx.Client) -> None:
    answer = client.get("/static/admin/css/base.css")

    assert answer.status_code == 200
    assert int(answer.headers["Content-Length"]) == answer.num_bytes_downloaded > 10_000


def test_the_body_cap_is_that_of_the_settings(client: httpx.Client) -> None:
    head = b"POST /tools HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777217\r\nConnection: close\r\n\r\n"
    with socket.create_connection(
        (client.base_url.host, client.base_url.port or 0), timeout=20
    ) as connection:
        connection.sendall(head)

        assert connection.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_database_without_tables_does_not_stop_the_start(client: httpx.Client, log: Path) -> None:
    assert client.get("/health/live").status_code == 200

    assert "whether leases need a grace period is still open" in log.read_text()


def test_threads_keep_their_connections_and_survive_the_end_of_one(client: httpx.Client) -> None:
    url = os.environ.get("DATABASE_URL") or addresses.database_url(Path(os.environ["TOOLROSTER_HOME"]))
    with psycopg.connect(url, autocommit=True) as connection:
        states = [_database_state(client) for _ in range(30)]
        ended = connection.execute(_END_OTHERS).fetchall()
        states += [_database_state(client) for _ in range(30)]

    assert states == ["up"] * 60
    assert 1 <= len(ended) <= 8  # WEB_THREADS


def _database_state(client: httpx.Client) -> str:
    return str(client.get("/health").json()["parts"]["database"])


def test_a_path_is_served_by_its_native_handler_and_a_prefix_by_all_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def exact(scope: Scope, receive: Receive, send: Send) -> None: ...

    async def below(scope: Scope, receive: Receive, send: Send) -> None: ...

    monkeypatch.setattr(asgi, "NATIVE", {"/mcp": exact, "/events/": below})

    assert asgi._handler("/mcp") is exact
    assert asgi._handler("/events/1") is below
    assert asgi._handler("/mcp/other") is asgi.bridge
    assert asgi._handler("/events") is asgi.bridge


def test_a_websocket_is_refused() -> None:
    assert _talk({"type": "websocket", "path": "/"}, "websocket.connect") == ["websocket.close"]


def test_an_unknown_scope_is_an_error() -> None:
    with pytest.raises(ValueError, match="carrier-pigeon"):
        _talk({"type": "carrier-pigeon"})


@pytest.mark.django_db(transaction=True)
def test_the_start_grants_a_grace_period_when_the_registry_was_away(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    by = Registering(everything(), now - timedelta(hours=1), review_required=False)
    register([{"name": "send_email", "provider": "mail", "version": "1.0.0", "liveness": "heartbeat"}], by=by)
    bridge = Bridge(django_application, threads=1, max_body_bytes=100)
    monkeypatch.setattr(asgi, "bridge", bridge)  # one thread, so that its connection can be closed below
    monkeypatch.setattr(startup, "begin", Beginning(startup.begin_leases))

    sent = _talk({"type": "lifespan"}, "lifespan.startup", "lifespan.shutdown")
    asyncio.run(bridge.in_thread(connections.close_all))

    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert LeaseWatch.objects.filter(grace_until__gt=now).exists()


def test_what_is_loaded_at_the_start_is_no_work_for_the_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup, "begin", lambda: None)
    gc.unfreeze()
    try:
        _talk({"type": "lifespan"}, "lifespan.startup", "lifespan.shutdown")
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_the_beginning_happens_once() -> None:
    calls: list[None] = []
    begin = Beginning(lambda: calls.append(None))

    begin()
    begin()

    assert len(calls) == 1


def test_a_beginning_without_database_is_repeated_after_a_pause(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = [OperationalError("down"), None]
    clock = Clock()

    def act() -> None:
        if error := outcomes.pop(0):
            raise error

    begin = Beginning(act, clock=clock)
    begin()
    begin()
    assert len(outcomes) == 1
    assert "grace period is still open" in caplog.text

    clock.seconds = 1.5
    begin()
    begin()
    assert outcomes == []


def _talk(scope: Scope, *received: str) -> list[str]:
    """Call the application with these messages; return the types of what it sent."""
    messages, sent = iter(received), []

    async def receive() -> Message:
        return {"type": next(messages)}

    async def send(message: Message) -> None:
        sent.append(message["type"])

    asyncio.run(asgi.application(scope, receive, send))
    return sent
