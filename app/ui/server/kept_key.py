"""The local server's key, kept in the system's keyring over restarts of the program."""

from __future__ import annotations

from threading import Lock

from app.chat.serving import KeyTaker
from app.ui.background import Background
from engine.library.secrets import Secrets
from engine.server import new_key

_ACCOUNT = "local-server"


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

    def renew(self, then: KeyTaker) -> None:
        """Tell a new key, kept in the place of the old one."""
        self._background.run(self._renewed, lambda made: then(*made), _nothing_fails)

    def _found(self) -> tuple[str, bool]:
        with self._lock:
            key = self._secrets.read(_ACCOUNT)
            return (key, self._secrets.is_kept(_ACCOUNT)) if key else self._made()

    def _renewed(self) -> tuple[str, bool]:
        with self._lock:
            return self._made()

    def _made(self) -> tuple[str, bool]:
        key = new_key()
        return key, self._secrets.keep(_ACCOUNT, key)


def _nothing_fails(fault: object) -> None:
    raise RuntimeError(f"a keyring has no faults: {fault}")
