"""Where connections may go: addresses are looked at after their names were resolved, and pinned.

A name can mean one address when it is checked and another when it is connected to (DNS rebinding), so it is
resolved once, here, below the HTTP client. Servers' certificates are still checked against the name.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Iterable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType

from toolroster.errors import AddressForbidden

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Any]


def is_public(address: Address) -> bool:
    """Tell whether an address is on the open internet, IPv4 inside IPv6 looked at as what it is."""
    found = _plain(address)
    is_special = found.is_multicast or found.is_reserved or getattr(found, "is_site_local", False)
    return found.is_global and not is_special and not _tells_secrets(found)


def _plain(address: Address) -> Address:
    """Return the IPv4 address that an IPv6 one stands for, else the address itself."""
    if not isinstance(address, ipaddress.IPv6Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(address.packed[-4:])
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and address.teredo is not None:
        inner = address.teredo[1]
    return address if inner is None else inner


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SECRETS = frozenset(
    map(
        ipaddress.ip_address,
        ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    )
)
"""Where clouds tell a machine its secrets (Alibaba, Azure, Oracle, AWS, Google); most are link-local."""


def _tells_secrets(address: Address) -> bool:
    return address.is_link_local or address in _SECRETS


def allowed(addresses: Iterable[str], *, host: str, may_be_private: bool) -> list[str]:
    """Return the addresses that may be connected to.

    Raises:
        AddressForbidden: none of them; one that is private beside one that is public is no accident.
    """
    found = [ipaddress.ip_address(text.partition("%")[0]) for text in addresses]
    hidden = [one for one in found if _tells_secrets(_plain(one)) or not (may_be_private or is_public(one))]
    if hidden or not found:
        raise AddressForbidden(
            f"{host} is at an address of a private network. An operator can allow that to its provider."
        )
    return [str(one) for one in found]


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, in the system's order."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[4][0]) for address in found))


class GuardedNetwork(AbstractResolver):
    """Resolves names to addresses that may be connected to, and opens sockets to no others.

    A socket is asked about as well, since an address that stands in a URL is resolved by nobody. `resolving`
    is the seam for tests.
    """

    def __init__(self, *, may_be_private: bool, resolving: Resolve = resolve) -> None:
        self._may_be_private = may_be_private
        self._resolving = resolving

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host, as aiohttp wants them."""
        found = allowed(await self._resolving(host, port), host=host, may_be_private=self._may_be_private)
        return [_result(host, port, address) for address in found]

    def socket(self, about: AddrInfoType) -> socket.socket:
        """Open a socket for an address that may be connected to."""
        family, kind, protocol, _, address = about
        allowed([str(address[0])], host=str(address[0]), may_be_private=self._may_be_private)
        return socket.socket(family=family, type=kind, proto=protocol)

    async def close(self) -> None:
        """Hold nothing."""


def _result(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=flags)
