"""``install.sh`` of the archive: the menu's entry starts the program from any folder, and goes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from app.start.login import desktop_entry
from installers.making import deb
from installers.making.version import Version

LINUX = Path(deb.__file__).parents[1] / "linux"
# what a file manager starts it with, and no library of ours: GLib, where the system has its Python
LAUNCH = """
import sys
from gi.repository import Gio, GLib
info = Gio.DesktopAppInfo.new_from_filename(sys.argv[1])
assert info is not None, "GLib takes it for no program"
loop = GLib.MainLoop()
files = [GLib.filename_to_uri(name, None) for name in sys.argv[2:]]
info.launch_uris_as_manager(files, None,
    GLib.SpawnFlags.SEARCH_PATH | GLib.SpawnFlags.DO_NOT_REAP_CHILD, None, None,
    lambda _, pid: GLib.child_watch_add(GLib.PRIORITY_DEFAULT, pid, lambda *_: loop.quit()))
loop.run()
"""
FOLDERS = ("In k'stone & 砚", "100% sure", 'say "hi"', "a$HOME`b", "back\\slash", "|&;~ #1%f")


class Unpacked:
    """The archive's folder under a name, without the program, and a home."""

    def __init__(self, tmp_path: Path, name: str) -> None:
        self.home, self.folder = tmp_path / "a home", tmp_path / name
        deb.add_desktop_files(self.folder / "share", Version("1.2.3", 0))
        (self.folder / "share" / "icons" / "hicolor").mkdir(parents=True)
        shutil.copy(LINUX / "install.sh", self.folder)
        self.entry = self.home / ".local" / "share" / "applications" / "inkstone.desktop"
        self.autostart = self.home / ".config" / "autostart" / "inkstone.desktop"
        self.window = self.folder / "inkstone-window"
        self.window.write_text('#!/bin/sh\nprintf "%s" "$1" >"$HOME/given"\n')
        self.window.chmod(0o755)

    def install(self, *arguments: str) -> str:
        command = ["sh", str(self.folder / "install.sh"), *arguments]
        ran = subprocess.run(command, env=self.told(), check=True, capture_output=True, text=True)
        assert ran.stderr == ""
        return ran.stdout

    def launch(self, *words: Path) -> None:
        ran = subprocess.run(
            ["/usr/bin/python3", "-c", LAUNCH, *map(str, words)],
            env=self.told(), capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr

    def told(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}


def has_glib() -> bool:
    command = ["/usr/bin/python3", "-c", "from gi.repository import Gio; Gio.DesktopAppInfo"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not has_glib(), reason="no GLib with Python on this system")
@pytest.mark.parametrize("name", FOLDERS)
def test_glib_starts_it_from_any_folder(tmp_path: Path, name: str) -> None:
    unpacked = Unpacked(tmp_path, name)
    unpacked.install()
    model = tmp_path / "50% 模型.gguf"
    unpacked.launch(unpacked.entry, model)
    assert (unpacked.home / "given").read_text("utf-8") == str(model)
    unpacked.autostart.parent.mkdir(parents=True)
    unpacked.autostart.write_bytes(desktop_entry([str(unpacked.window), "--minimised"]))
    unpacked.launch(unpacked.autostart)
    assert (unpacked.home / "given").read_text("utf-8") == "--minimised"


@pytest.mark.parametrize("name", FOLDERS)
def test_it_is_written_as_the_program_writes_its_entry_for_the_login(
    tmp_path: Path, name: str
) -> None:
    """The one that ``app/start`` writes is read back by the specification in its own test."""
    unpacked = Unpacked(tmp_path, name)
    unpacked.install()
    lines = unpacked.entry.read_text("utf-8").splitlines()
    own = desktop_entry([str(unpacked.window)]).decode().splitlines()
    (command,) = (line for line in own if line.startswith("Exec="))
    (tried,) = (line for line in own if line.startswith("TryExec="))
    assert f"{command} %f" in lines
    assert tried in lines


def test_removing_takes_the_entries_and_leaves_the_data(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, 'a "100%" $tone')
    unpacked.install()
    unpacked.autostart.parent.mkdir(parents=True)
    unpacked.autostart.write_bytes(desktop_entry([str(unpacked.window), "--minimised"]))
    chats = unpacked.home / ".local" / "share" / "Inkstone" / "chats.db"
    chats.parent.mkdir(parents=True)
    chats.write_text("kept")
    said = unpacked.install("--remove")
    assert not unpacked.entry.exists()
    assert not unpacked.autostart.exists()
    assert list((unpacked.home / ".local" / "bin").iterdir()) == []
    assert chats.read_text() == "kept"
    assert str(chats.parent) in said


def test_the_login_entry_of_another_copy_stays(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    unpacked.install()
    unpacked.autostart.parent.mkdir(parents=True)
    unpacked.autostart.write_bytes(desktop_entry(["/opt/inkstone/inkstone-window", "--minimised"]))
    unpacked.install("--remove")
    assert unpacked.autostart.exists()
