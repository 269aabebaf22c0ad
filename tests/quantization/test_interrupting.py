"""Ctrl-C in the terminal, pause of the window: what is begun is kept, and said in one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from engine.cli import main
from engine.library.partial_copies import partial_folder

COMMAND = [sys.executable, "-W", "ignore", "-m", "engine", "quantize"]


def test_ctrl_c_keeps_what_is_done_and_says_how_it_goes_on(
    starter_model: Path, tmp_path: Path
) -> None:
    """From a real GGUF file; ``test_copies`` holds that going on ends with the same copy."""
    target = tmp_path / "copy"
    said = run([*COMMAND, str(starter_model), str(target), "--to", "4", "--events"], "measuring")
    assert said.returncode == 130
    assert said.stderr.count("Stopped") == 1
    assert "the same command goes on from there" in said.stderr
    assert "Traceback" not in said.stderr
    assert list(partial_folder(target).glob("measured-*"))
    assert not target.exists()
    assert main(["quantize", str(starter_model), str(target), "--discard"]) == 0
    assert list(tmp_path.iterdir()) == []


def run(command: list[str], stage: str) -> subprocess.CompletedProcess[str]:
    """Run until the first report of a stage, then press Ctrl-C."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{") and json.loads(line).get("stage") == stage:
                process.send_signal(signal.SIGINT)
                break
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out, err)
