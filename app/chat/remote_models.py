"""Remote models: their cards in the model folder, their keys in the keyring, what a server says.

Everything here waits for disk, keyring or network: it is called in the background.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.chat.model_session import FetchKeys
from app.store.settings import SettingsFile
from engine.contract import EngineError
from engine.library.secrets import Secrets
from engine.library.servers.card import (
    ENDING,
    RemoteCard,
    ServerKeys,
    key_account,
    read_card,
    write_card,
)
from engine.library.servers.proxy import kept_keys, proxy_account, split_proxy

if TYPE_CHECKING:
    from engine.library.servers.access import Access
    from engine.library.servers.asking import Server


class RemoteModels:
    """Remembers remote models, and asks their servers.

    Args:
        folder: the model folder.
        secrets: the keys.
        settings: whether nothing but this computer may be asked.
    """

    def __init__(self, folder: Path, secrets: Secrets, settings: SettingsFile) -> None:
        self._folder, self._secrets, self._settings = folder, secrets, settings

    @property
    def is_offline(self) -> bool:
        """Whether nothing but this computer may be asked."""
        return self._settings.settings.offline

    def keys_for(self, path: Path) -> ServerKeys:
        """The keys of a card's server; none where there are none, or no such card."""
        try:
            card = read_card(path)
        except EngineError:  # loading it says what is wrong
            return ServerKeys()
        return kept_keys(card, self._secrets)

    def key_fetcher(self, run: Callable[..., None]) -> FetchKeys:
        """Return what reads a card's keys elsewhere: ``run`` is a background's."""
        return lambda path, then: run(
            lambda: self.keys_for(path), then, lambda _: then(ServerKeys())
        )

    def has_key(self, address: str) -> bool:
        """Whether a key of this server is kept."""
        return bool(self._secrets.read(key_account(address)))

    def ask(self, card: RemoteCard, key: str) -> Server:
        """What a server has; an empty ``key`` is the kept one.

        Raises:
            EngineError: as ``ask_server``.
        """
        from engine.library.servers.asking import ask_server  # noqa: PLC0415 - imports httpx

        return ask_server(self._access(card, key))

    def test(self, card: RemoteCard, key: str) -> float:
        """Seconds until a model's first word; an empty ``key`` is the kept one.

        Raises:
            EngineError: as ``try_model``.
        """
        from engine.library.servers.asking import try_model  # noqa: PLC0415 - imports httpx

        return try_model(self._access(card, key))

    def save(self, card: RemoteCard, key: str, path: Path | None = None) -> tuple[Path, bool]:
        """Write a card, and keep its server's key and its proxy's password if they are given.

        Returns:
            The card's path, and whether the keyring holds both (True where there is none).

        Raises:
            EngineError: as ``write_card``.
        """
        before = _card(path) if path is not None else None
        proxy, password = split_proxy(card.proxy)
        written = write_card(self._folder, replace(card, proxy=proxy), path)
        given = {key_account(card.address): key, proxy_account(proxy): password}
        kept = [self._secrets.keep(account, each) for account, each in given.items() if each]
        if before is not None:
            self.forget_unused(before.address, before.proxy)
        return written, all(kept)

    def forget_key(self, address: str) -> None:
        """Take a server's key out of the keyring."""
        self._secrets.keep(key_account(address), "")

    def forget_unused(self, address: str, proxy: str = "") -> None:
        """Take out of the keyring what no card needs any more.

        Args:
            address: a server's, whose key is meant; empty is none.
            proxy: a proxy's, whose password is meant; empty is none.
        """
        paths = self._folder.glob(f"*{ENDING}") if self._folder.is_dir() else ()
        cards = [card for card in map(_card, paths) if card is not None]
        if address and key_account(address) not in {key_account(each.address) for each in cards}:
            self.forget_key(address)
        account = proxy_account(proxy)
        if account and account not in {proxy_account(each.proxy) for each in cards}:
            self._secrets.keep(account, "")

    def _access(self, card: RemoteCard, key: str) -> Access:
        from engine.library.servers.access import Access  # noqa: PLC0415 - imports httpx

        kept = kept_keys(card, self._secrets)
        return Access(card, key or kept.key, self.is_offline, kept.proxy_password)


def _card(path: Path) -> RemoteCard | None:
    """Return a card; None where it cannot be read."""
    try:
        return read_card(path)
    except EngineError:
        return None
