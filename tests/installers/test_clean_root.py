"""The journey in a bare root, as far as it can be known without one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.library.starter import STARTER
from installers import clean_root
from installers.making import deb

SCRIPT = Path(clean_root.__file__)


def test_it_uses_the_standard_library_only() -> None:
    command = [sys.executable, "-I", "-S", str(SCRIPT), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "--tiny" in ran.stdout


def test_the_program_runs_as_a_user_without_a_network(tmp_path: Path) -> None:
    root = clean_root.Root(tmp_path / "root")
    command = root._command("inkstone --help", network=False)
    assert "--net" in command
    assert "--userspec=1000:1000" in command
    assert command[-3:] == ["/bin/sh", "-c", "inkstone --help"]
    assert "env" in command
    assert "-i" in command  # nothing of the tester's own environment helps it


def test_apt_alone_has_the_network(tmp_path: Path) -> None:
    command = clean_root.Root(tmp_path)._command("apt-get update", network=True)
    assert "--net" not in command
    assert not any(word.startswith("--userspec") for word in command)


def test_the_file_that_is_opened_is_the_one_that_came_along() -> None:
    assert clean_root.MODEL.startswith(f"/{deb.HOME}/")
    assert clean_root.MODEL.endswith(f"resources/starter/{STARTER.file_name}")


def test_a_failed_step_is_a_failed_journey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> str:
        raise clean_root.StepError("status 1: no")

    steps = [("one", lambda: "well"), ("two", fails), ("three", lambda: "well")]
    monkeypatch.setattr(clean_root, "journey", lambda *_: steps)
    monkeypatch.setattr(sys, "argv", ["clean_root.py", "x.deb", "--root", str(tmp_path)])
    assert clean_root.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert "FAILED: status 1: no" in lines[1]
