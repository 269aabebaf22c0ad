"""Hub tokens and the local server's key: in the system's keyring, or in memory for this run."""

from __future__ import annotations

import threading
from types import ModuleType

_SERVICE = "Inkstone"


class Secrets:
    """One secret per account; safe on every thread, and too slow for the window's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, str] = {}

    def read(self, account: str) -> str:
        """The secret of an account, "" where there is none."""
        with self._lock:
            if account in self._held:
                return self._held[account]
        keyring = _keyring()
        try:
            return keyring.get_password(_SERVICE, account) or ""
        except keyring.errors.KeyringError:
            return ""

    def is_kept(self, account: str) -> bool:
        """Whether the keyring has the secret, rather than this run's memory alone."""
        with self._lock:
            return account not in self._held

    def keep(self, account: str, secret: str) -> bool:
        """Keep a secret, or forget it with ""; whether the keyring has it.

        Where the system has no keyring it is held in memory until the program ends.
        """
        keyring = _keyring()
        try:
            if secret:
                keyring.set_password(_SERVICE, account, secret)
            elif keyring.get_password(_SERVICE, account) is not None:
                keyring.delete_password(_SERVICE, account)
        except keyring.errors.KeyringError:
            with self._lock:
                self._held[account] = secret
            return False
        with self._lock:
            self._held.pop(account, None)
        return True


def _keyring() -> ModuleType:
    """The library; importing it is tens of milliseconds that the window need not start with."""
    import keyring  # noqa: PLC0415

    return keyring
