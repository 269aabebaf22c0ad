"""``python -m engine serve`` as a program: curl's way in, and Ctrl-C's way out."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import cli


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
