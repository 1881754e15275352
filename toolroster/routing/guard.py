"""Where connections may go: addresses are looked at after their names were resolved, and pinned.

A name can mean one address when it is checked and another when it is connected to (DNS rebinding), so it is
resolved once, here, below the HTTP client. Servers' certificates are still checked against the name.
"""

import ipaddress
import socket
from collections.abc import Callable, Iterable
from typing import Any

import anyio
import httpcore

from toolroster.errors import AddressForbidden

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Any]


def is_public(address: Address) -> bool:
    """Tell whether an address is on the open internet, IPv4 inside IPv6 looked at as what it is."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if inner:
            return is_public(inner)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(address.packed[-4:]))
    return address.is_global and not address.is_multicast and not address.is_reserved


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_METADATA = frozenset(map(ipaddress.ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200")))
"""Where clouds tell a machine its own secrets: never a tool, whatever is allowed."""


def allowed(addresses: Iterable[str], *, host: str, may_be_private: bool) -> list[str]:
    """Return the addresses that may be connected to.

    Raises:
        AddressForbidden: none of them; one that is private beside one that is public is no accident.
    """
    found = [ipaddress.ip_address(text.partition("%")[0]) for text in addresses]
    hidden = [one for one in found if one in _METADATA or not (may_be_private or is_public(one))]
    if hidden or not found:
        raise AddressForbidden(
            f"{host} is at an address of a private network. An operator can allow that to its provider."
        )
    return [str(one) for one in found]


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, in the system's order."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Connects only where `allowed` says; `resolving` is the seam for tests."""

    def __init__(self, *, may_be_private: bool, resolving: Resolve = resolve) -> None:
        self._may_be_private = may_be_private
        self._resolving = resolving
        self._network: httpcore.AsyncNetworkBackend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers."""
        try:
            with anyio.fail_after(timeout):
                addresses = await self._resolving(host, port)
        except OSError as error:
            raise httpcore.ConnectError(f"{host} cannot be resolved") from error
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"{host} takes long to resolve") from error
        failed: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in allowed(addresses, host=host, may_be_private=self._may_be_private):
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Refuse: no address of a tool is a socket of this machine."""
        raise AddressForbidden("A tool is not called through a socket of this machine.")

    async def sleep(self, seconds: float) -> None:
        """Sleep, as httpcore does between attempts."""
        await self._network.sleep(seconds)
