"""The entry that starts the program at login: where it lies, what stands in it, all or nothing."""

from __future__ import annotations

import configparser
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.start.login import FileEntry, agent, desktop_entry, entry_path, login_command, login_entry

COMMAND = ["/opt/my tools/砚/ink`s$tone", 'a"b\\c', "100%", "--minimised"]


def exec_line(data: bytes) -> str:
    parser = configparser.RawConfigParser(delimiters="=", strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(data.decode())
    entry = parser["Desktop Entry"]
    assert (entry["Type"], entry["Name"], entry["Terminal"]) == ("Application", "Inkstone", "false")
    return entry["Exec"]


def words_of(line: str) -> list[str]:
    """Read ``Exec`` as the specification says: value escapes, then quoted words, then fields."""
    value, words, word, quoted = line.replace("\\\\", "\\"), [], "", False
    signs = iter(value)
    for sign in signs:
        if sign == '"':
            quoted = not quoted
            if not quoted:
                words.append(word.replace("%%", "%"))
                word = ""
        elif quoted:
            word += next(signs) if sign == "\\" else sign
        else:
            assert sign == " "
    return words


def test_a_desktop_entry_starts_exactly_the_command() -> None:
    assert words_of(exec_line(desktop_entry(COMMAND))) == COMMAND


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="no validator here")
def test_the_systems_own_validator_takes_the_desktop_entry(tmp_path: Path) -> None:
    path = tmp_path / "inkstone.desktop"
    path.write_bytes(desktop_entry(["/opt/inkstone/inkstone-window", "--minimised"]))
    ran = subprocess.run(["desktop-file-validate", path], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, b"")


def test_a_launch_agent_starts_exactly_the_command() -> None:
    said = plistlib.loads(agent(COMMAND))
    assert said["ProgramArguments"] == COMMAND
    assert said["RunAtLoad"] is True
    assert said["Label"] == "io.github.inkstone.Inkstone"


@pytest.mark.parametrize(
    ("system", "variables", "path"),
    [
        ("linux", {"HOME": "/h"}, "/h/.config/autostart/inkstone.desktop"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, "/c/autostart/inkstone.desktop"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "no"}, "/h/.config/autostart/inkstone.desktop"),
        ("darwin", {"HOME": "/h"}, "/h/Library/LaunchAgents/io.github.inkstone.Inkstone.plist"),
    ],
)
def test_it_lies_where_the_system_looks(system: str, variables: dict[str, str], path: str) -> None:
    assert entry_path(system, variables) == Path(path)


def test_it_is_written_as_a_whole_and_removed_without_a_trace(tmp_path: Path) -> None:
    entry = FileEntry(tmp_path / "autostart" / "inkstone.desktop", is_agent=False)
    assert entry.read() is None
    entry.remove()
    entry.write(["/one"])
    entry.write(["/two"])
    assert entry.read() == desktop_entry(["/two"])
    assert [each.name for each in entry.path.parent.iterdir()] == ["inkstone.desktop"]
    entry.remove()
    assert list(entry.path.parent.iterdir()) == []


def test_the_command_of_the_sources_starts_the_window_from_any_folder(tmp_path: Path) -> None:
    command = login_command()
    assert command[-1] == "--minimised"
    ran = subprocess.run(
        [*command[:-1], "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "--minimised" in ran.stdout) == (0, True), ran.stderr


def test_the_command_of_an_installed_program_is_its_executable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert login_command() == [sys.executable, "--minimised"]


@pytest.mark.skipif(sys.platform == "win32", reason="the registry is no file")
def test_this_system_has_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    entry = login_entry()
    entry.write(["/one"])
    assert entry.read()
    assert next(p for p in tmp_path.rglob("*") if p.is_file())


def test_a_removed_program_leaves_an_entry_that_does_nothing() -> None:
    assert "TryExec=/opt/a b/ink%\\\\x" in desktop_entry(["/opt/a b/ink%\\x"]).decode().splitlines()
