"""Starting at login: one entry in the place where each system looks, written and removed whole.

Linux reads desktop entries (XDG Autostart and Desktop Entry specifications), macOS launch agents
(``launchd.plist``), Windows the values of a key of the user's registry.
"""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from app.store.settings import write_atomically

MINIMISED = "--minimised"
_AGENT = "io.github.inkstone.Inkstone"
_ROOT = Path(__file__).resolve().parents[2]
_START = (  # needs no folder to be started in, which Windows could not say
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from app.main import main; sys.exit(main())"
)
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_NAME = "Inkstone"


class LoginEntry(Protocol):
    """Where a system keeps what it starts at login."""

    def read(self) -> bytes | None:
        """Return what stands there for this program; None where nothing does.

        Raises:
            OSError: it cannot be read.
        """
        ...

    def write(self, command: Sequence[str]) -> None:
        """Start this command at the next login.

        Raises:
            OSError: what stood there before is untouched.
        """
        ...

    def remove(self) -> None:
        """Start it no more; nothing happens where it is not started.

        Raises:
            OSError: it cannot be removed.
        """
        ...


class FileEntry:
    """An entry that is a file: a desktop entry, or a launch agent."""

    def __init__(self, path: Path, *, is_agent: bool) -> None:
        self.path, self._is_agent = path, is_agent

    def read(self) -> bytes | None:
        """Return the file."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def write(self, command: Sequence[str]) -> None:
        """Write the file as a whole."""
        data = agent(command) if self._is_agent else desktop_entry(command)
        write_atomically(self.path, data)

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


if sys.platform == "win32":
    import winreg

    class RegistryEntry:
        """A value of the key that Windows reads at login."""

        def read(self) -> bytes | None:
            """Return the command."""
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                    return str(winreg.QueryValueEx(key, _NAME)[0]).encode()
            except FileNotFoundError:
                return None

        def write(self, command: Sequence[str]) -> None:
            """Set the value."""
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                line = subprocess.list2cmdline(command)
                winreg.SetValueEx(key, _NAME, 0, winreg.REG_SZ, line)

        def remove(self) -> None:
            """Delete the value."""
            try:
                with winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN_KEY) as key:
                    winreg.DeleteValue(key, _NAME)
            except FileNotFoundError:
                pass


def login_entry() -> LoginEntry:
    """Return the place where this system looks."""
    if sys.platform == "win32":
        return RegistryEntry()
    return FileEntry(entry_path(sys.platform, os.environ), is_agent=sys.platform == "darwin")


def entry_path(system: str, variables: Mapping[str, str]) -> Path:
    """Return where the file lies.

    Args:
        system: as ``sys.platform``, not Windows.
        variables: of the environment.
    """
    home = Path(variables.get("HOME") or Path.home())
    if system == "darwin":
        return home / "Library" / "LaunchAgents" / f"{_AGENT}.plist"
    given = Path(variables.get("XDG_CONFIG_HOME", ""))
    config = given if given.is_absolute() else home / ".config"
    return config / "autostart" / "inkstone.desktop"


def login_command(root: Path = _ROOT) -> list[str]:
    """Return what starts this program minimised: its own executable, or Python with the sources.

    Args:
        root: the folder that holds ``app``.
    """
    return [*start_command(root), MINIMISED]


def quick_command(root: Path = _ROOT) -> list[str]:
    """Return what asks this program, running or not, for a quick question."""
    return [*start_command(root), "--quick"]


def start_command(root: Path = _ROOT) -> list[str]:
    """Return what starts this program, also after an update."""
    if getattr(sys, "frozen", False):
        return [str(_launcher(Path(sys.executable)))]
    return [sys.executable, "-c", _START, str(root)]


def _launcher(executable: Path) -> Path:
    """Return the launcher above a version of the tar form, which outlives it; else the program."""
    for folder in executable.parents[1:4]:
        if (folder / "install.sh").is_file() and (folder / "inkstone-window").is_file():
            return folder / "inkstone-window"
    return executable


def desktop_entry(command: Sequence[str]) -> bytes:
    """Return a desktop entry that starts a command, as long as the program is there."""
    program = command[0].replace("\\", "\\\\")
    lines = [
        "[Desktop Entry]",
        "Type=Application",
        "Name=Inkstone",
        f"TryExec={program}",  # a removed package leaves the user's entry, which then does nothing
        f"Exec={' '.join(map(_quoted, _started(command)))}",
        "Icon=inkstone",
        "Terminal=false",
        "X-GNOME-Autostart-enabled=true",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _started(command: Sequence[str]) -> Sequence[str]:
    """Return what starts a command: GLib looks for a program before it reads ``%%`` as one sign."""
    if "%" not in command[0]:
        return command
    return ["sh", "-c", 'exec "$0" "$@"', *command]


def agent(command: Sequence[str]) -> bytes:
    """Return a launch agent that starts a command."""
    values = {
        "Label": _AGENT,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "ProcessType": "Interactive",
    }
    return plistlib.dumps(values)


def _quoted(word: str) -> str:
    """Quote a word of ``Exec``: inside quotes four signs are escaped, in values backslashes again.

    A percent sign would be the name of a field.
    """
    for sign in '\\"`$':
        word = word.replace(sign, "\\" + sign)
    return '"' + word.replace("\\", "\\\\").replace("%", "%%") + '"'
