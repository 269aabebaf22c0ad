"""How a server is reached: certificates, proxies, timeouts, the key. One place for both clients."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from typing import Any

import certifi
import httpx

from engine.contract import EngineError, FaultKind
from engine.library.servers.address import is_here, server_name
from engine.library.servers.card import RemoteCard
from engine.library.servers.proxy import split_proxy, with_password

CONNECT_S = 10.0


@dataclass(frozen=True, slots=True)
class Access:
    """A server with what it takes to ask it.

    Attributes:
        card: where it is.
        key: who asks; empty: nobody in particular.
        is_offline: whether nothing but this computer may be asked.
        proxy_password: of the card's proxy.
    """

    card: RemoteCard
    key: str = field(default="", repr=False)
    is_offline: bool = False
    proxy_password: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port, for sentences."""
        return server_name(self.card.address)

    def address(self, endpoint: str) -> str:
        """The address of an endpoint below the server's own."""
        return self.card.address + endpoint

    def headers(self) -> dict[str, str]:
        """What every request to this server carries."""
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return {"User-Agent": "Inkstone", **key}

    def client_settings(self, read_s: float | None) -> dict[str, Any]:
        """Arguments of an httpx client for this server.

        Redirects are never followed: the conversation would go where nobody sent it, and the key
        with it. This computer itself is never asked through a proxy.

        Args:
            read_s: seconds without a byte; None is no limit.

        Raises:
            EngineError: ``OFFLINE``, ``CERTIFICATE_UNREADABLE``, ``SETTING_INVALID`` of the key,
                ``PROXY_INVALID``.
        """
        here = is_here(self.card.address)
        if self.is_offline and not here:
            raise EngineError(FaultKind.OFFLINE, host=self.host)
        if not self.key.isascii() or not self.key.isprintable():
            allowed = "letters, digits and signs of ASCII"
            raise EngineError(FaultKind.SETTING_INVALID, name="key", value="…", allowed=allowed)
        return {
            "verify": _trusted(self.card),
            "proxy": None if here else self._proxy(),
            "trust_env": not here,
            "follow_redirects": False,
            "headers": self.headers(),
            "timeout": httpx.Timeout(30, connect=CONNECT_S, read=read_s),
        }

    def _proxy(self) -> str | None:
        proxy = self.card.proxy
        try:
            is_known = not proxy or httpx.URL(proxy).scheme in {"http", "https"}
        except httpx.InvalidURL:
            is_known = False
        if not is_known:
            raise EngineError(FaultKind.PROXY_INVALID, address=split_proxy(proxy)[0])
        return with_password(proxy, self.proxy_password) if proxy else None


def _trusted(card: RemoteCard) -> ssl.SSLContext:
    """The system's certificates, certifi's, and the server's own; none where none are needed."""
    if not card.address.startswith("https:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(certifi.where())
    if card.certificate:
        try:
            trusted.load_verify_locations(card.certificate)
        except (OSError, ssl.SSLError) as error:
            reason = getattr(error, "strerror", "") or str(error)
            raise EngineError(
                FaultKind.CERTIFICATE_UNREADABLE, path=card.certificate, reason=reason
            ) from error
    return trusted
