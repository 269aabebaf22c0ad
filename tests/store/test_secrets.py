"""Tokens go to the keyring; where there is none they are held for this run alone."""

from __future__ import annotations

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError

from app.store.secrets import Secrets


class Memory(KeyringBackend):
    """A keyring of this process."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def test_a_token_is_kept_read_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Memory()
    monkeypatch.setattr(keyring, "get_password", ring.get_password)
    monkeypatch.setattr(keyring, "set_password", ring.set_password)
    monkeypatch.setattr(keyring, "delete_password", ring.delete_password)
    assert Secrets().keep("huggingface", "secret")
    assert Secrets().read("huggingface") == "secret"
    assert Secrets().read("modelscope") == ""
    assert Secrets().keep("huggingface", "")
    assert Secrets().keep("huggingface", "")
    assert ring.kept == {}


def test_without_a_keyring_a_token_lives_as_long_as_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: str) -> None:
        raise NoKeyringError

    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, refuse)
    secrets = Secrets()
    assert not secrets.keep("huggingface", "secret")
    assert secrets.read("huggingface") == "secret"
    assert Secrets().read("huggingface") == ""
