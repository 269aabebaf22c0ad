"""The command line: what it refuses before a model is loaded, and a reader that goes away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--top-p", "7"),
        ("--temperature", "-1"),
        ("--max-tokens", "0"),
        ("--threads", "1000"),
        ("--top-k", "many"),
        ("--repetition-penalty", "0"),
    ],
)
def test_a_setting_out_of_its_range_is_a_wrong_argument(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["complete", "nowhere.gguf", "text", option, value])
    assert ended.value.code == 2
    assert value in capsys.readouterr().err


@pytest.mark.parametrize("prompt", ["", "   ", "\n"])
def test_an_empty_prompt_is_refused_before_a_model_is_loaded(
    prompt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", "nowhere.gguf", f"--prompt={prompt}"]) == 1
    assert "empty" in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_it_without_a_word(starter_model: Path) -> None:
    """The pipe is closed before the first line is written; ``inspect`` writes several."""
    child = subprocess.Popen(
        [sys.executable, "-m", "engine", "inspect", str(starter_model)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": "", "PYTHONUNBUFFERED": "1"},
    )
    assert child.stdout
    assert child.stderr
    child.stdout.close()
    words = child.stderr.read()
    child.stderr.close()
    assert (child.wait(), words) == (141, "")


def test_letters_that_a_terminal_lacks_are_no_traceback(tmp_path: Path) -> None:
    """A Western European terminal, and a text with Chinese letters."""
    done = subprocess.run(
        [sys.executable, "-m", "engine", "rules", "砚 café"],
        cwd=ROOT,
        capture_output=True,
        check=False,
        env={"PATH": "", "PYTHONIOENCODING": "latin-1", "INKSTONE_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stdout.decode("latin-1").strip()) == (0, "? café")
