"""Another machine's model in the terminal: its card, its key, and what no command line shows."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from engine.cli import main
from engine.library.folders import models_folder
from engine.library.servers.card import RemoteCard, key_account, write_card
from tests.doubles import servers
from tests.doubles.keyrings import MemoryKeyring
from tests.doubles.servers import Server, reply, serving

CHAT = "/v1/chat/completions"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        state.answers = {"/v1/models": [servers.models("m")], CHAT: [reply("Ice ", "floats.")]}
        yield state


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    made = MemoryKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(made, name))
    return made


def keys_sent(server: Server) -> set[str]:
    return {asked.headers.get("authorization", "") for asked in server.asked}


def test_a_server_answers_without_a_card(
    server: Server, ring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["chat", "--remote", server.address, "--model", "m", "--prompt", "Why?"]
    assert main(given) == 0
    assert capsys.readouterr().out == "Ice floats.\n"
    assert server.of(CHAT)[0].json()["model"] == "m"
    assert not list(models_folder().glob("*"))


def test_the_only_model_need_not_be_named_and_of_several_one_must(
    server: Server, ring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "--remote", server.address, "--prompt", "Why?"]) == 0
    server.answers["/v1/models"] = [servers.models("one", "two")]
    assert main(["chat", "--remote", server.address, "--prompt", "Why?"]) == 1
    assert "one, two" in capsys.readouterr().err


def test_the_key_is_the_keyrings_unless_the_environment_has_one(
    server: Server, ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["chat", "--remote", server.address, "--model", "m", "--prompt", "Why?"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-ring\n"))
    assert main(["keys", "set", server.address]) == 0
    assert main(given) == 0
    assert keys_sent(server) == {"Bearer sk-ring"}
    server.asked.clear()
    monkeypatch.setenv("INKSTONE_REMOTE_KEY", "sk-environment")
    assert main(given) == 0
    assert keys_sent(server) == {"Bearer sk-environment"}


def test_the_windows_card_and_key_serve_the_terminal(
    server: Server, ring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    write_card(models_folder(), RemoteCard(server.address, "m", "Far", context=4096))
    ring.set_password("Inkstone", key_account(server.address), "sk-window")
    assert main(["chat", "Far", "--prompt", "Why?"]) == 0
    assert main(["chat", "--remote", server.address, "--prompt", "Why?"]) == 0
    assert keys_sent(server) == {"Bearer sk-window"}
    capsys.readouterr()
    assert main(["models"]) == 0
    assert f"remote  at 127.0.0.1:{server.port}" in capsys.readouterr().out
    assert main(["models", "--json"]) == 0
    [row] = [r for r in json.loads(capsys.readouterr().out) if r["server"]]
    assert row["server"] == server.address


def test_keys_are_kept_found_and_removed(
    ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = "https://api.example.com"
    assert main(["keys", "status", place]) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("sk-1\n"))
    assert main(["keys", "set", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["done"] is True
    assert main(["keys", "status", f"{place}/v1"]) == 0
    assert main(["keys", "remove", place]) == 0
    assert ring.kept == {}
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n"))
    assert main(["keys", "set", place]) == 1


def test_no_option_takes_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["chat", "--remote", "http://localhost:1", "--key", "sk-1"])
    assert "--key" in capsys.readouterr().err


def test_a_wrong_key_says_how_to_give_one(
    server: Server, ring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers["/v1/models"] = [servers.status(401, {})]
    assert main(["chat", "--remote", server.address, "--model", "m", "--prompt", "x"]) == 1
    said = capsys.readouterr().err
    assert "keys set" in said
    assert "INKSTONE_REMOTE_KEY" in said


@pytest.mark.parametrize(
    "given",
    [
        ["chat", "--remote", "http://192.0.2.1:8000", "--model", "m", "--prompt", "x"],
        ["download", "Qwen/Qwen3-0.6B-GGUF"],
        ["download", "starter"],
    ],
)
def test_s14_the_windows_offline_switch_holds_in_the_terminal(
    given: list[str], ring: MemoryKeyring, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(os.environ["INKSTONE_HOME"], "settings.json").write_text('{"offline": true}', "utf-8")
    assert main([*given, "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["fault"] == "offline"
    assert "offline" in err


def test_an_empty_address_is_no_model_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """A script's variable that is not set must not be answered by another model."""
    assert main(["chat", "--remote", "", "--model", "m", "--prompt", "x"]) == 1
    assert "is no address of a server" in capsys.readouterr().err
