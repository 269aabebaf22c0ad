"""The socket that a server listens on, what stands in its way, and the address it is reached by."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Iterator
from contextlib import suppress

from engine.server.records import Obstacle

_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "lo")
"""Beginnings of the names of networks that no other machine is in."""

_UNKNOWN_NAME = {socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_FAMILY}
"""``create_server`` raises a plain OSError with the resolver's own numbers."""

_TRIED = 50  # ports after the one that is taken


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket of the address.

    Raises:
        OSError: the address is taken, or not this machine's.
    """
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    return socket.create_server((name, port), family=family)


def obstacle(error: OSError) -> Obstacle:
    """Tell why an address cannot be listened on."""
    if error.errno in _UNKNOWN_NAME:
        return Obstacle.NO_ADDRESS
    match error.errno:
        case errno.EADDRINUSE:
            return Obstacle.TAKEN
        case errno.EACCES | errno.EPERM:
            return Obstacle.FORBIDDEN
        case errno.EADDRNOTAVAIL | errno.EAFNOSUPPORT:
            return Obstacle.NO_ADDRESS
        case _:
            return Obstacle.OTHER


def free_port_after(host: str, port: int) -> int:
    """Return the next port that is free; 0, which takes any, where none of the next ones is."""
    first = max(port, 1023) + 1
    for tried in range(first, min(first + _TRIED, 65_536)):
        with suppress(OSError), listen(host, tried):
            return tried
    return 0


def address_of(listening: socket.socket) -> str:
    """Return the address that clients are given: one of this machine's where it hears all."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = next(_own_addresses(), "127.0.0.1")
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


def _own_addresses() -> Iterator[str]:
    """The addresses under which other machines find this one, of real networks first."""
    import psutil  # noqa: PLC0415 (a server of loopback does without)

    found = psutil.net_if_addrs()
    for name in sorted(found, key=lambda name: name.startswith(_VIRTUAL)):
        for each in found[name]:
            if each.family is socket.AF_INET and not ipaddress.ip_address(each.address).is_loopback:
                yield each.address
