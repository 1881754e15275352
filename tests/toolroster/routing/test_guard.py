"""Where connections may go."""

import asyncio
from typing import Any

import pytest

from tests.toolroster.routing.faulty import FaultyServer
from toolroster.errors import AddressForbidden
from toolroster.routing.guard import allowed
from toolroster.routing.transport import HTTPTransport, Lost, NotSent, Request

PRIVATE = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1%eth0",
    "fc00::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fd00:ec2::254",
    "fec0::1",
    "168.63.129.16",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(address: str) -> None:
    with pytest.raises(AddressForbidden) as caught:
        allowed([address], host="tool.example", may_be_private=False)

    assert caught.value.code == "address_forbidden"


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert allowed([address], host="tool.example", may_be_private=False)


def test_a_private_address_among_public_ones_is_refused() -> None:
    with pytest.raises(AddressForbidden):
        allowed(["93.184.216.34", "10.0.0.1"], host="tool.example", may_be_private=False)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.170.2",
        "fd00:ec2::254",
        "fd20:ce::254",
        "100.100.100.200",
        "168.63.129.16",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "fe80::1",
    ],
)
def test_where_clouds_keep_secrets_is_refused_whatever_is_allowed(address: str) -> None:
    with pytest.raises(AddressForbidden):
        allowed([address], host="tool.example", may_be_private=True)


def _send(request: Request, **how: Any) -> Any:
    async def run() -> Any:
        async with HTTPTransport(**how) as transport:
            return await transport.send(request)

    return asyncio.run(run())


def test_a_name_that_leads_to_this_machine_is_refused_before_anything_is_sent(faulty: FaultyServer) -> None:
    async def rebinding(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    with pytest.raises(AddressForbidden):
        _send(Request(f"http://tool.example:{faulty.port}/ok", b"{}"), resolving=rebinding)

    assert not faulty.calls


def test_the_address_that_was_checked_is_the_one_connected_to(faulty: FaultyServer) -> None:
    asked = []

    async def once(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    request = Request(f"http://tool.example:{faulty.port}/ok", b"{}", may_be_private=True)
    answer = _send(request, resolving=once)

    assert (answer.status, asked) == (200, ["tool.example"])
    assert faulty.seen[0]["headers"]["host"] == f"tool.example:{faulty.port}"


def test_a_connection_of_who_may_is_not_lent_to_who_may_not(faulty: FaultyServer) -> None:
    async def run() -> None:
        async with HTTPTransport() as transport:
            await transport.send(Request(faulty.url("ok"), b"{}", may_be_private=True))
            with pytest.raises(AddressForbidden):
                await transport.send(Request(faulty.url("ok"), b"{}"))

    asyncio.run(run())


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/x", "file:///etc/passwd", "http://[::1", "unix:///tmp/x", "x"]
)
def test_only_http_is_spoken(url: str) -> None:
    with pytest.raises(NotSent):
        _send(Request(url, b"{}", may_be_private=True))


def test_redirects_are_not_followed(faulty: FaultyServer) -> None:
    assert _send(Request(faulty.url("redirect"), b"{}", may_be_private=True)).status == 302


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_request_whose_kept_connection_breaks_is_not_sent_again(faulty: FaultyServer, method: str) -> None:
    async def run() -> None:
        async with HTTPTransport() as transport:
            await transport.send(Request(faulty.url("switch"), b"{}", may_be_private=True))
            faulty.mode = "reset"
            with pytest.raises(Lost):
                await transport.send(Request(faulty.url("switch"), b"{}", method=method, may_be_private=True))

    asyncio.run(run())

    assert faulty.calls == {"switch": 2}


def test_a_host_that_hangs_takes_no_connections_of_others(faulty: FaultyServer) -> None:
    async def run() -> int:
        async with HTTPTransport(most_per_host=2) as transport:
            hanging = Request(faulty.url("hang"), b"{}", may_be_private=True, timeout_seconds=1)
            stuck = [asyncio.create_task(transport.send(hanging)) for _ in range(6)]
            await asyncio.sleep(0.05)
            other = faulty.url("ok").replace("127.0.0.1", "localhost")
            answer = await transport.send(Request(other, b"{}", may_be_private=True, timeout_seconds=0.5))
            told = await asyncio.gather(*stuck, return_exceptions=True)
            assert sum(isinstance(one, NotSent) for one in told) == 4  # there was no connection for them
            return int(answer.status)

    assert asyncio.run(run()) == 200


def test_a_host_that_does_not_accept_in_time_was_not_called() -> None:
    async def slowly(_host: str, _port: int) -> list[str]:
        await asyncio.sleep(5)
        return ["127.0.0.1"]

    with pytest.raises(NotSent):
        _send(Request("http://tool.example/ok", b"{}", timeout_seconds=0.3), resolving=slowly)
