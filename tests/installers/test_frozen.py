"""The installed program: what starts what, and that nothing but its own parts is run."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import app
from app import frozen
from engine.library import folders, starter
from engine.service import program

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process as if it were the installed window."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/inkstone/inkstone-window")


def test_sources_start_a_part_with_python() -> None:
    assert program.program("engine.service") == [sys.executable, "-m", "engine.service"]
    assert program.environment()["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT)


@pytest.mark.usefixtures("installed")
def test_the_installed_program_starts_its_console_form() -> None:
    command = program.program("engine", "quantize", "a", "b")
    assert command == ["/opt/inkstone/inkstone", "--part", "engine", "quantize", "a", "b"]


@pytest.mark.usefixtures("installed")
def test_on_windows_the_part_is_an_exe_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/Programs/Inkstone/inkstone-window.exe")
    assert program.program("engine.service")[0] == "/Programs/Inkstone/inkstone.exe"


def test_every_part_is_a_module_that_can_be_run() -> None:
    for part in program.PARTS:
        folder = ROOT.joinpath(*part.split("."))
        assert (folder / "__main__.py").is_file(), part


@pytest.mark.parametrize("asked", [[], ["http.server"], ["os"], ["app"]])
def test_nothing_else_is_run(
    asked: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runpy, "run_module", lambda *_, **__: pytest.fail("it was run"))
    assert frozen.main(["--part", *asked], "/opt/inkstone/inkstone") == 2
    assert "engine.service" in capsys.readouterr().err


def test_the_name_without_window_is_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        frozen.main(["--help"], "/opt/inkstone/inkstone")
    assert ended.value.code == 0
    assert "quantize" in capsys.readouterr().out


def test_a_library_that_the_system_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The start imports the window's module: a library in its place, which is none, fails so."""
    (tmp_path / "main.abi3.so").write_bytes(b"no library")
    monkeypatch.setattr(app, "__path__", [str(tmp_path)])
    monkeypatch.delitem(sys.modules, "app.main", raising=False)
    monkeypatch.delattr(app, "main", raising=False)
    assert frozen.main([], "/opt/inkstone/inkstone-window") == 1
    said = capsys.readouterr().err
    assert said.startswith("The window needs a library that this system lacks: ")
    assert "main.abi3.so" in said
    assert "Traceback" not in said


def test_programs_of_the_system_get_their_libraries_back() -> None:
    variables = {"LD_LIBRARY_PATH": "/opt/inkstone/_internal", "LD_LIBRARY_PATH_ORIG": "/usr/mine"}
    frozen.restore_linker_paths(variables)
    assert variables["LD_LIBRARY_PATH"] == "/usr/mine"
    variables = {"LD_LIBRARY_PATH": "/opt/inkstone/_internal"}
    frozen.restore_linker_paths(variables)
    assert "LD_LIBRARY_PATH" not in variables


def test_a_part_ends_with_its_own_status() -> None:
    code = (
        "import sys; from app.frozen import main;"
        "sys.exit(main(['--part', 'engine', 'inspect', '/nowhere.gguf'], 'inkstone'))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert ran.returncode == 1
    assert b"Traceback" not in ran.stderr


def test_the_starter_that_came_along_is_used_until_there_is_an_own_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path / "home"))
    own = folders.models_folder() / starter.STARTER.name / starter.STARTER.file_name
    assert starter.starter_path() == own
    included = tmp_path / "included" / starter.STARTER.file_name
    included.parent.mkdir()
    included.write_bytes(b"model")
    monkeypatch.setattr(starter, "included_folder", lambda: included.parent)
    assert starter.starter_path() == included
    assert starter.has_starter()
    own.parent.mkdir(parents=True)
    own.write_bytes(b"model")
    assert starter.starter_path() == own
