"""``python -m engine download`` beside another one, and what it says of addresses."""

from __future__ import annotations

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
