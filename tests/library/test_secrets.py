"""Tokens go to the keyring; where there is none they are held for this run alone."""

from __future__ import annotations

import keyring
import pytest
from keyring.errors import NoKeyringError

from engine.library.secrets import Secrets
from tests.doubles.keyrings import MemoryKeyring


def test_a_token_is_kept_read_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = MemoryKeyring()
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
