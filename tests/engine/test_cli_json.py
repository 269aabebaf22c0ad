"""What other programs rely on: JSON from every command, exit statuses, help with examples."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from engine import cli
from engine.cli import main
from engine.library.downloads.pace import RateLimit
from tests.doubles.hub import Hub, serve
from tests.doubles.keyrings import MemoryKeyring

FILES = {"README.md": b"# M", "m-Q8_0.gguf": b"eight" * 900}
TEXT_ONLY = {"completion", "manual"}  # a script and a page, each for its own reader


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command's parser by name."""
    [below] = [
        action
        for action in cli._parser("inkstone")._actions
        if isinstance(action, argparse._SubParsersAction)
    ]
    return dict(below.choices)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command and of what stands below it."""
    found: set[str] = set()
    for action in parser._actions:
        found |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found |= set.intersection(*(options_of(each) for each in action.choices.values()))
    return found


@pytest.mark.parametrize("name", sorted(set(commands()) - TEXT_ONLY))
def test_every_command_can_speak_json(name: str) -> None:
    assert "--json" in options_of(commands()[name])


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_commands_help_has_examples_that_it_takes(name: str) -> None:
    said = commands()[name].format_help()
    lines = [line.strip() for line in said.partition("examples:\n")[2].splitlines()]
    assert lines
    assert all(f"inkstone {name}" in line for line in lines if line)


@pytest.mark.parametrize(
    "given",
    [
        ["models"],
        ["models", "--catalog"],
        ["rules", "--profile", "family", "call +49 30 123456"],
        ["rules"],
        ["audit", "verify"],
        ["runtime"],
        ["machine"],
    ],
    ids=" ".join,
)
def test_what_is_printed_is_json_and_nothing_else(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) is not None


def test_a_fault_is_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing.gguf")
    for given in (["inspect", missing], ["complete", missing, "x"], ["bench", missing],
                  ["quantize", missing, str(tmp_path / "to")], ["serve", missing]):  # fmt: skip
        assert main([*given, "--json"]) == 1
        said = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert said["fault"] == "file_missing"
        assert said["figures"]["path"] == missing
        assert said["sentence"].startswith("There is no file")


def test_exit_statuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0, 1 and 2 here; 130 and 141 end processes (``test_cli``, ``test_command_line``)."""
    assert main(["models"]) == 0
    assert main(["inspect", str(tmp_path / "missing")]) == 1
    for wrong in ([], ["no-such"], ["models", "--no-such"], ["download"]):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C goes to the whole console there")
def test_ctrl_c_before_anything_is_stopped_ends_with_130(tmp_path: Path) -> None:
    """A download waits for a server that says nothing; it is told to stop."""
    import signal
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with subprocess.Popen(
            [sys.executable, "-m", "engine", "download", "me/m"],
            env={"HF_ENDPOINT": f"http://127.0.0.1:{port}", "INKSTONE_HOME": str(tmp_path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as running:
            silent.settimeout(120)
            connection, _ = silent.accept()
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=120)
            connection.close()
    assert running.returncode == 130
    assert said == "Stopped.\n"


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serve(Hub({"me/m-GGUF": dict(FILES)}, token="hf-1", gated={"me/m-GGUF"})) as served:
        yield served


def test_a_download_follows_the_windows_mirror_token_and_limit(
    hub: Hub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ring, limits = MemoryKeyring(), []
    ring.set_password("Inkstone", "huggingface", "hf-1")
    monkeypatch.setattr(keyring, "get_password", ring.get_password)
    change = RateLimit.change

    def changed(self: RateLimit, rate: int) -> None:
        limits.append(rate)
        change(self, rate)

    monkeypatch.setattr(RateLimit, "change", changed)
    kept = {"hub_endpoint": hub.address, "download_limit": 900}
    Path(os.environ["INKSTONE_HOME"], "settings.json").write_text(json.dumps(kept), "utf-8")
    assert main(["download", "me/m-GGUF", "--json"]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert Path(last["path"]).read_bytes() == FILES["m-Q8_0.gguf"]
    assert limits == [900_000]
    assert main(["download", "me/m-GGUF", "--limit", "0", "--json"]) == 0
    assert limits[-1] == 0
