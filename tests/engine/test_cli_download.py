"""``python -m engine download`` beside another one, and what it says of addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

from engine.cli import main
from engine.library.downloads.record import UNFINISHED, short_name
from engine.library.folders import models_folder
from engine.library.hubs.direct import order_for_address
from tests.doubles.hub import Hub, serve


def test_two_commands_do_not_write_into_the_same_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serve(Hub({"me/m": {"m.gguf": b"x" * 900}})) as hub:
        address = f"{hub.address}/me/m/resolve/main/m.gguf"
        folder = models_folder() / UNFINISHED
        folder.mkdir(parents=True)
        with FileLock(folder / f"command-{short_name(order_for_address(address))}.lock"):
            assert main(["download", address]) == 1
        assert "is being fetched by another command" in capsys.readouterr().err
        assert hub.asked == []
        assert main(["download", address]) == 0
    assert Path(capsys.readouterr().out.strip()).read_bytes() == b"x" * 900


def test_an_endpoint_without_a_scheme_is_an_address_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["download", "me/m", "--endpoint", "127.0.0.1:1"]) == 1
    assert capsys.readouterr().err.startswith("127.0.0.1 cannot be reached")


def test_a_file_that_is_not_there_lists_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    files = {"m.Q4_K_M.gguf": b"x" * 1500, "m.Q8_0.gguf": b"x" * 2500, "read.me": b"x"}
    with serve(Hub({"me/m": files})) as hub:
        asked = ["download", "me/m", "--endpoint", hub.address, "--file", "Q9"]
        assert main(asked) == 1
        out, err = capsys.readouterr()
        assert out == ""
        lines = err.splitlines()
        assert [line.split() for line in lines[:-1]] == [
            ["*", "Q4_K_M", "1.5", "kB"],
            ["Q8_0", "2.5", "kB"],
        ]
        assert lines[-1] == "me/m has no file Q9: choose with --file one of Q4_K_M, Q8_0."
        assert main([*asked, "--json"]) == 1
        told = json.loads(capsys.readouterr().out)
        assert told["figures"] == {"name": "me/m", "file": "Q9", "offered": "Q4_K_M, Q8_0"}
        assert hub.files_asked == []


def test_of_an_address_no_files_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    with serve(Hub({"me/m": {"m.gguf": b"x"}})) as hub:
        address = f"{hub.address}/me/m/resolve/main/m.gguf"
        for option in (["--files"], ["--file", "Q4_0"]):
            assert main(["download", address, *option]) == 1
            assert f"{option[0]} cannot be used with the address" in capsys.readouterr().err
        assert hub.asked == []
