"""Which addresses only this machine can reach."""

from __future__ import annotations

import ipaddress
import socket

__all__ = ["is_loopback", "is_surely_loopback"]


def is_loopback(name: str) -> bool:
    """Whether only this machine can reach an address or a name, which is looked up; one that is not found is not."""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(name, None)}
    except (OSError, UnicodeError):  # the latter for a name that is too long
        return False
    return bool(found) and all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)


def is_surely_loopback(name: str) -> bool:
    """The same without looking anything up, which would stop an event loop: of names only `localhost` is one."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost"
