"""The local server's key, kept in the system's keyring over restarts of the program."""

from __future__ import annotations

from threading import Lock

from app.chat.serving import KeyTaker
from app.ui.background import Background
from engine.library.secrets import Secrets
from engine.server import KEY_ACCOUNT, new_key


class KeptKey:
    """Finds the key, or makes one; a keyring may ask for a password, so never in the window.

    Args:
        secrets: the keyring, or this run's memory where there is none.
        background: where the keyring is waited for.
    """

    def __init__(self, secrets: Secrets, background: Background) -> None:
        self._secrets, self._background = secrets, background
        self._lock = Lock()  # two that ask at once are told the same key

    def find(self, then: KeyTaker) -> None:
        """Tell the key that was kept, or a new one that is kept from now on."""
        self._background.run(self._found, lambda found: then(*found), _nothing_fails)

    def renew(self, then: KeyTaker, key: str = "") -> None:
        """Tell a new key, or this one, kept in the place of the old one."""
        self._background.run(lambda: self._renewed(key), lambda made: then(*made), _nothing_fails)

    def _found(self) -> tuple[str, bool]:
        with self._lock:
            key = self._secrets.read(KEY_ACCOUNT)
            return (key, self._secrets.is_kept(KEY_ACCOUNT)) if key else self._made()

    def _renewed(self, key: str) -> tuple[str, bool]:
        with self._lock:
            return self._made(key)

    def _made(self, given: str = "") -> tuple[str, bool]:
        key = given or new_key()
        return key, self._secrets.keep(KEY_ACCOUNT, key)


def _nothing_fails(fault: object) -> None:
    raise RuntimeError(f"a keyring has no faults: {fault}")
