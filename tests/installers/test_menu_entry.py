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
        self.program = self.folder / "inkstone"
        self.program.write_text("#!/bin/sh\necho Inkstone 1.2.3\n")
        self.program.chmod(0o755)
        self.bin = self.home / ".local" / "bin"

    def install(self, *arguments: str) -> str:
        ran = self.ran(*arguments)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout

    def ran(self, *arguments: str, **told: str) -> subprocess.CompletedProcess[str]:
        command = ["sh", str(self.folder / "install.sh"), *arguments]
        return subprocess.run(
            command, env=self.told() | told, check=False, capture_output=True, text=True
        )

    def everything(self) -> set[str]:
        return {str(path.relative_to(self.home)) for path in self.home.rglob("*")}

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
    assert list(unpacked.bin.iterdir()) == []
    assert chats.read_text() == "kept"
    assert str(chats.parent) in said


def test_the_login_entry_of_another_copy_stays(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    unpacked.install()
    unpacked.autostart.parent.mkdir(parents=True)
    unpacked.autostart.write_bytes(desktop_entry(["/opt/inkstone/inkstone-window", "--minimised"]))
    unpacked.install("--remove")
    assert unpacked.autostart.exists()


def test_an_archive_that_was_not_unpacked_whole_is_not_added(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "my 砚")
    words = "Traceback (most recent call last):\n  File start.py\nlibpython is short\n[PYI] ended"
    unpacked.program.write_text(f"#!/bin/sh\necho '{words}' >&2\nexit 3\n")
    ran = unpacked.ran()
    assert ran.returncode == 1
    assert ran.stderr.startswith("Inkstone does not start from this folder, so nothing was added.")
    assert ran.stderr.splitlines()[1:] == ["libpython is short"]
    assert ran.stdout == ""
    assert not unpacked.home.exists()


def test_a_library_that_the_system_lacks_is_named(tmp_path: Path) -> None:
    """At a double-click nothing would happen."""
    unpacked = Unpacked(tmp_path, "inkstone")
    tools = tmp_path / "tools"
    tools.mkdir()
    said = "\tlibEGL.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n"
    (tools / "ldd").write_text(f"#!/bin/sh\nprintf '%s' '{said}'\n")
    (tools / "ldd").chmod(0o755)
    ran = unpacked.ran(PATH=f"{tools}:/usr/bin:/bin")
    assert ran.returncode == 0
    assert ran.stderr.rstrip().endswith("install them with its package manager: libEGL.so.1")
    assert unpacked.entry.exists()


def test_a_word_that_it_does_not_know_changes_nothing(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    ran = unpacked.ran("--uninstall")
    assert ran.returncode == 2
    assert "--remove takes it away again" in ran.stderr
    assert not unpacked.home.exists()


def test_another_program_of_the_name_is_left_alone(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    unpacked.bin.mkdir(parents=True)
    (unpacked.bin / "inkstone").write_text("a program of the user")
    ran = unpacked.ran()
    assert ran.returncode == 0
    assert "is another program: it stays as it is" in ran.stderr
    assert (unpacked.bin / "inkstone-window").readlink() == unpacked.window
    unpacked.install("--remove")
    assert [each.name for each in unpacked.bin.iterdir()] == ["inkstone"]
    assert (unpacked.bin / "inkstone").read_text() == "a program of the user"


def test_removing_an_old_copy_leaves_the_newer_one_in_the_menu(tmp_path: Path) -> None:
    old, new = Unpacked(tmp_path, "old"), Unpacked(tmp_path, "back\\slash 100%")
    old.install()
    new.install()
    before = new.everything()
    said = old.install("--remove")
    assert f"The menu starts another copy ({new.window}): it stays there." in said
    assert new.everything() == before
    assert new.window.samefile(new.bin / "inkstone-window")


def test_removing_a_copy_that_was_moved_takes_what_leads_nowhere(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "before")
    unpacked.install()
    unpacked.folder = unpacked.folder.rename(tmp_path / "after")
    assert "Taken out of the menu." in unpacked.install("--remove")
    assert not unpacked.entry.exists()
    assert list(unpacked.bin.iterdir()) == []


def test_it_speaks_chinese_where_the_system_does(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    told = {"LANG": "zh_CN.UTF-8"}
    assert "Inkstone 1.2.3 已加入菜单" in unpacked.ran(**told).stdout
    removed = unpacked.ran("--remove", **told).stdout
    assert "已从菜单中移除。" in removed
    assert f"保留在 {unpacked.home}/.local/share/Inkstone" in removed
    assert "menu" not in removed


def test_it_says_where_the_data_really_lies(tmp_path: Path) -> None:
    unpacked = Unpacked(tmp_path, "inkstone")
    stick = tmp_path / "stick"
    said = unpacked.ran("--remove", INKSTONE_HOME=str(stick)).stdout
    assert f"Chats, settings and models stay in {stick};" in said
