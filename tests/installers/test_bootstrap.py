"""The two commands: what stands in the way ends in one sentence, and marks mean complete steps."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "installers" / "bootstrap.py"


@pytest.fixture
def bootstrap(tmp_path: Path) -> ModuleType:
    """The script as a module whose environment lies in an empty folder."""
    spec = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.VENV = tmp_path / ".venv"
    module.PYTHON = module.VENV / "bin" / "python"
    module.MARK = module.VENV / "inkstone-installed.txt"
    return module


def test_it_uses_the_standard_library_only() -> None:
    ran = subprocess.run(
        [sys.executable, "-I", "-S", str(SCRIPT), "--help"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "run" in ran.stdout


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 2), (4, 4), (64, 4)])
def test_a_whole_run_has_a_process_a_core_and_keeps_files_whole(
    bootstrap: ModuleType, cores: int, workers: int
) -> None:
    arguments = bootstrap.all_tests(cores)
    assert "--durations=40" in arguments
    assert arguments[0].startswith(f"--tx={workers}*popen//") == (workers > 1)
    assert ("--dist=loadfile" in arguments) == (workers > 1)


def test_arguments_pick_tests_and_leave_the_rest_to_pytest(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "is_installed", lambda with_tests: True)
    monkeypatch.setattr(bootstrap, "fetch_starter", lambda: None)
    monkeypatch.setattr(bootstrap, "usable_cores", lambda: 2)
    monkeypatch.setattr(
        bootstrap.subprocess, "call", lambda command, cwd: called.append(command[2:]) or 0
    )
    assert bootstrap.test(["tests/text", "-x"]) == 0
    assert called == [["pytest", "tests/text", "-x"]]
    called.clear()
    assert bootstrap.test([]) == 0
    assert called == [
        ["ruff", "check", "."], ["mypy"], ["pytest", *bootstrap.all_tests(2)],
    ]  # fmt: skip


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 15, 0), (2, 7, 18)])
def test_a_wrong_python_is_one_sentence_with_both_versions(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    monkeypatch.setattr(bootstrap.sys, "version_info", version)
    with pytest.raises(
        bootstrap.SetupError, match=r"3\.11 to 3\.14 and this is " + str(version[0])
    ):
        bootstrap.check_python()


def test_without_a_display_run_names_the_terminal_and_fails() -> None:
    ran = subprocess.run(
        [sys.executable, str(SCRIPT), "run"], env={}, capture_output=True, text=True, check=False
    )
    assert ran.returncode != 0
    assert ran.stderr.count("\n") == 1
    assert "--prompt" in ran.stderr


def test_a_full_disk_is_found_before_anything_is_written(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=700_000_000)
    monkeypatch.setattr(bootstrap.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(bootstrap.SetupError, match=r"2\.5 GB and 0\.7 GB is free"):
        bootstrap.install(with_tests=False)
    assert not bootstrap.VENV.exists()


def test_missing_system_libraries_are_named_as_packages(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.sys, "platform", "linux")
    with pytest.raises(bootstrap.SetupError, match="apt install libnowhere1"):
        bootstrap.check_libraries({"libnowhere.so.1": "libnowhere1", "libc.so.6": "libc6"})


def test_an_interrupted_installation_is_done_again(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip fails in the second of two steps: no mark, so the next start installs again."""
    steps: list[list[str]] = []

    def pip(arguments: list[str]) -> None:
        steps.append(arguments)
        if len(steps) == 2:
            raise bootstrap.SetupError("no network")

    monkeypatch.setattr(bootstrap, "pip", pip)
    monkeypatch.setattr(bootstrap, "make_environment", lambda: _make(bootstrap))
    with pytest.raises(bootstrap.SetupError):
        bootstrap.install(with_tests=False)
    assert not bootstrap.is_installed(with_tests=False)
    bootstrap.install(with_tests=False)
    assert bootstrap.is_installed(with_tests=False)


def test_the_tests_environment_serves_both_commands_and_not_the_reverse(
    bootstrap: ModuleType,
) -> None:
    _make(bootstrap)
    bootstrap.MARK.write_text(bootstrap.installed_mark(bootstrap.wanted_packages(True)))
    assert bootstrap.is_installed(with_tests=False)
    bootstrap.MARK.write_text(bootstrap.installed_mark(bootstrap.wanted_packages(False)))
    assert not bootstrap.is_installed(with_tests=True)


def test_changed_pins_install_again(bootstrap: ModuleType, tmp_path: Path) -> None:
    _make(bootstrap)
    bootstrap.MARK.write_text(bootstrap.installed_mark(bootstrap.wanted_packages(True)))
    bootstrap.CONSTRAINTS = tmp_path / "constraints.txt"
    bootstrap.CONSTRAINTS.write_text("torch==0")
    assert not bootstrap.is_installed(with_tests=True)


@pytest.mark.parametrize("mark", ["", "0", "null"])
def test_a_damaged_mark_counts_as_none(bootstrap: ModuleType, mark: str) -> None:
    _make(bootstrap)
    bootstrap.MARK.write_text(mark)
    assert not bootstrap.is_installed(with_tests=False)


def test_every_pin_lies_in_its_range(bootstrap: ModuleType) -> None:
    """The tested set and the ranges in pyproject.toml never drift apart."""
    from packaging.requirements import Requirement

    pins = {}
    for line in bootstrap.CONSTRAINTS.read_text("utf-8").splitlines():
        if "==" in line and not line.startswith("#"):
            name, version = line.split("==")
            pins[name.lower().replace("_", "-")] = version
    for text in bootstrap.wanted_packages(with_tests=True):
        wanted = Requirement(text)
        pin = pins[wanted.name.lower().replace("_", "-")]
        assert wanted.specifier.contains(pin), f"{text} against {pin}"


def _make(bootstrap: ModuleType) -> None:
    bootstrap.PYTHON.parent.mkdir(parents=True, exist_ok=True)
    bootstrap.PYTHON.touch()
