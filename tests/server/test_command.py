"""``python -m engine serve`` as a program: curl's way in, and Ctrl-C's way out."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import keyring
import pytest

from engine import cli
from engine.cli_serve import _settings, add_serve
from engine.contract import EngineError, FaultKind
from engine.library.secrets import Secrets
from engine.safety.settings import settings_path
from engine.server import KEY_ACCOUNT, Obstacle, ServerSettings
from engine.server.listening import free_port_after, listen, obstacle
from tests.doubles.keyrings import MemoryKeyring


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C goes to the whole console there")
def test_curl_is_answered_and_ctrl_c_ends_it(starter_model: Path) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not on this machine")
    program = [sys.executable, "-m", "engine", "serve", str(starter_model)]
    arguments = ["--port", "0", "--context", "1024", "--json"]
    with subprocess.Popen(
        [*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:
        assert running.stdout is not None
        try:
            states = [json.loads(running.stdout.readline()) for _ in range(2)]
            address, key = states[1]["address"], states[1]["key"]
            body = {"messages": [{"role": "user", "content": "Say hi."}], "max_tokens": 5}
            asked = [
                f"{address}/chat/completions",
                "-sN",
                "-d",
                json.dumps(body | {"stream": True}),
            ]
            headers = ["-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json"]
            ran = subprocess.run(
                [curl, *asked, *headers], capture_output=True, text=True, check=True
            )
            record = json.loads(running.stdout.readline())
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(15)
    assert ran.stdout.endswith("data: [DONE]\n\n")
    assert record["generated_tokens"] == 5
    assert running.returncode == 0


def test_a_taken_port_and_an_open_door_are_said_in_a_sentence(
    starter_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["serve", str(starter_model), "--host", "0.0.0.0", "--no-key"]) == 1
    assert "can be reached from other machines" in capsys.readouterr().err


def test_a_taken_port_is_a_sentence_with_a_port_that_is_free(
    starter_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["serve", str(starter_model), "--port", str(port)]) == 1
    said = capsys.readouterr().err
    assert f"Port {port} is taken by another program. Try --port " in said


def test_the_terminal_serves_as_the_windows_file_says_and_options_go_before_it() -> None:
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    stored = {
        "server_port": 9123, "server_reach": "network", "server_asks_key": False,
        "server_queue": 5, "server_reply_cache": 7, "server_origins": ["https://chat.example"],
    }  # fmt: skip
    settings_path().write_text(json.dumps(stored))
    settings = served_by()
    assert (settings.host, settings.port, settings.most_open) == ("0.0.0.0", 9123, 5)
    assert settings.key  # other computers always need one
    assert (settings.cached_replies, settings.origins) == (7, ("https://chat.example",))
    given = served_by("--host", "127.0.0.1", "--port", "0", "--queue", "6", "--reply-cache", "0")
    assert (given.host, given.port, given.most_open) == ("127.0.0.1", 0, 6)
    assert (given.key, given.cached_replies) == ("", 0)
    assert served_by("--host", "127.0.0.1", "--key", "sk-own").key == "sk-own"


def test_offline_no_other_computer_reaches_the_terminals_server() -> None:
    settings_path().parent.mkdir(parents=True, exist_ok=True)
    settings_path().write_text(json.dumps({"offline": True, "server_reach": "network"}))
    assert served_by().host == "127.0.0.1"
    with pytest.raises(EngineError) as error:
        served_by("--host", "0.0.0.0")
    assert error.value.fault.kind is FaultKind.OFFLINE


def test_the_terminal_asks_for_the_key_of_the_windows_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ring = MemoryKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(ring, name))
    assert served_by().key != served_by().key  # a new one each time
    assert Secrets().keep(KEY_ACCOUNT, "sk-of-the-window")
    assert served_by().key == "sk-of-the-window"
    monkeypatch.setenv("INKSTONE_SERVER_KEY", "sk-environment")
    assert served_by().key == "sk-environment"


@pytest.mark.parametrize(
    ("host", "port", "found"),
    [
        ("192.0.2.7", 0, Obstacle.NO_ADDRESS),
        ("no.such.host.invalid", 0, Obstacle.NO_ADDRESS),
    ],
)
def test_what_stands_in_the_way_of_listening_has_a_name(
    host: str, port: int, found: Obstacle
) -> None:
    with pytest.raises(OSError) as error:  # noqa: PT011 (which one, is what is tested)
        listen(host, port)
    assert obstacle(error.value) is found


def test_a_free_port_after_a_taken_one_is_none_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        found = free_port_after("127.0.0.1", port)
        assert found == 0 or found > port
    assert free_port_after("127.0.0.1", 80) >= 1024


def served_by(*options: str) -> ServerSettings:
    """What the command would serve with."""
    parser = argparse.ArgumentParser()
    add_serve(parser)
    return _settings(parser.parse_args(["m.gguf", *options]))
