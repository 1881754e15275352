"""The command line of the web process, and ports that are taken."""

import socket

import httpx
import pytest

from config import web
from tests.config.serving import free_port, served
from toolroster.errors import Unavailable


def test_the_command_serves_asgi_on_the_local_address() -> None:
    command = web.command(8006, 8)

    assert command[2:4] == ["granian", "config.asgi:application"]
    assert _option(command, "--interface") == "asgi"
    assert _option(command, "--host") == "127.0.0.1"
    assert _option(command, "--port") == "8006"
    assert _option(command, "--workers") == "1"
    assert "--blocking-threads" not in command


def test_the_command_gives_wsgi_its_threads() -> None:
    command = web.command(80, 6, host="0.0.0.0", application="config.wsgi:application", grace_seconds=25)

    assert _option(command, "--interface") == "wsgi"
    assert _option(command, "--blocking-threads") == "6"
    assert _option(command, "--host") == "0.0.0.0"
    assert _option(command, "--workers-kill-timeout") == "25"


def _option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def test_a_free_port_is_free() -> None:
    web.ensure_port_free("127.0.0.1", free_port())


def test_a_taken_port_is_named_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        with pytest.raises(web.PortTaken) as taken:
            web.ensure_port_free("127.0.0.1", port)

    assert taken.value.detail == f"Port {port} is taken by another program; stop it or set PORT."


def test_another_granian_is_seen_although_it_would_share_its_port(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = tmp_path_factory.mktemp("web") / "log"
    with served("config.wsgi:application", log) as port:
        assert httpx.get(f"http://127.0.0.1:{port}/health/live", trust_env=False).status_code == 200

        with pytest.raises(web.PortTaken):
            web.ensure_port_free("127.0.0.1", port)


def test_an_address_that_is_not_ours_cannot_be_used() -> None:
    with pytest.raises(Unavailable, match=r"Cannot listen on 192\.0\.2\.1"):
        web.ensure_port_free("192.0.2.1", free_port())
