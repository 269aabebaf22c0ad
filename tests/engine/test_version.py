"""The version: what a build wrote, else what the sources say; both programs tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import cli
from engine.version import program_version


def test_the_version_is_the_builds_else_the_sources(tmp_path: Path) -> None:
    assert program_version(tmp_path) == ""
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    assert program_version(tmp_path) == "1.2.3"
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources" / "version.txt").write_text("1.2.3+4.gabc\n")
    assert program_version(tmp_path) == "1.2.3+4.gabc"


def test_the_command_line_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"Inkstone {program_version()}\n"
