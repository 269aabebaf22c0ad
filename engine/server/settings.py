"""What a person chooses of the server, with what is refused."""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from engine.contract import EngineError, FaultKind
from engine.contract.ranges import ORIGIN
from engine.contract.setting import Value

DEFAULT_PORT = 8420
EVERYWHERE = "0.0.0.0"
"""All networks that this computer is in."""

KEY_ACCOUNT = "local-server"
"""Where the keyring has the key of the window's server, and of the terminal's."""


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
            if re.fullmatch(ORIGIN, origin) is None:
                raise EngineError(
                    FaultKind.SETTING_INVALID,
                    name="origin",
                    value=origin,
                    allowed="scheme and host as a browser sends them, such as https://chat.example",
                )


def wished(values: Mapping[str, Value], key: str, *, is_offline: bool = False) -> ServerSettings:
    """Return what the settings of ``SERVING`` ask for; offline, nothing but this computer.

    Args:
        values: all of them, by their keys.
        key: of the server; taken where one is asked for, which other machines always are.
        is_offline: whether nothing but this computer may be reached.
    """
    host = "127.0.0.1"
    match values["server_reach"]:
        case "network":
            host = EVERYWHERE
        case "address" if values["server_address"]:
            host = str(values["server_address"])
    if is_offline and not is_loopback(host):
        host = "127.0.0.1"
    asks = bool(values["server_asks_key"]) or not is_loopback(host)
    return ServerSettings(
        host=host,
        port=_whole(values["server_port"]),
        key=key if asks else "",
        most_open=_whole(values["server_queue"]),
        cached_replies=_whole(values["server_reply_cache"]),
        origins=_lines(values["server_origins"]),
        hosts=_lines(values["server_hosts"]),
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


def _whole(value: Value) -> int:
    return value if isinstance(value, int) else 0


def _lines(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
