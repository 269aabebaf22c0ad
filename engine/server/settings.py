"""What a person chooses of the server, with what is refused."""

from __future__ import annotations

import ipaddress
import re
import secrets
from dataclasses import dataclass

from engine.contract import EngineError, FaultKind

DEFAULT_PORT = 8420

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")
"""As the standard writes one: no path, no slash at its end, no capital letters. Compared as it is,
so any other would never match."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the server listens, and whom it answers.

    Attributes:
        host: an address of this machine; anything but a loopback one lets other machines in.
        port: 0 takes a free one.
        key: what a client must send as its API key; empty asks for none, on loopback only.
        most_open: requests that run or wait; one more is answered 429. The engine runs 16 at a time
            and refuses at 64 waiting: what is left between is the window's.
        cached_replies: deterministic replies that are kept for repeated requests; 0 is off.
        origins: web pages that may call the server; without them no page may.
        hosts: further names by which clients may call this machine.
        body_bytes: of the longest request.
        patience_s: a client that takes longer for its headers, for its body, or to take what waits
            for it, is dropped.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    key: str = ""
    most_open: int = 48
    cached_replies: int = 0
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    body_bytes: int = 4_000_000
    patience_s: float = 20.0

    def check(self) -> None:
        """Refuse what is not safe.

        Raises:
            EngineError: SETTING_INVALID.
        """
        if not self.key and not is_loopback(self.host):
            raise EngineError(
                FaultKind.SETTING_INVALID,
                name="key",
                value="(none)",
                allowed=f"a key, because {self.host} can be reached from other machines",
            )
        if not 0 <= self.port <= 65535:
            raise EngineError(
                FaultKind.SETTING_INVALID, name="port", value=self.port, allowed="0 to 65535"
            )
        for origin in self.origins:
            if _ORIGIN.fullmatch(origin) is None:
                raise EngineError(
                    FaultKind.SETTING_INVALID,
                    name="origin",
                    value=origin,
                    allowed="scheme and host as a browser sends them, such as https://chat.example",
                )


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def new_key() -> str:
    """Return a key that nobody guesses: 32 random bytes as text."""
    return "sk-ink-" + secrets.token_urlsafe(32)
