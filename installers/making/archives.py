"""The forms that need no installer: a ``tar.xz`` for Linux and a ``zip`` for Windows."""

from __future__ import annotations

import shutil
import tarfile
import time
import zipfile
from pathlib import Path

from installers.making.deb import COMMANDS, LINUX, add_desktop_files
from installers.making.freeze import Frozen, draw_icons
from installers.making.steps import say
from installers.making.version import Version

_PORTABLE = """\
Inkstone, portable. Start inkstone-window.exe in this folder; inkstone.exe is the command line.
Nothing is written outside your user folder. To keep chats and models on this drive too, set the
environment variable INKSTONE_HOME to a folder here before starting.
To remove it, delete this folder; chats, settings and models stay in %LOCALAPPDATA%\\Inkstone.

Inkstone 砚，便携版。请启动这个文件夹里的 inkstone-window.exe；inkstone.exe 是命令行程序。
除你的用户文件夹外，不会写入任何位置。如果想把对话和模型也放在这个盘上，请在启动前把环境变量
INKSTONE_HOME 设为这里的一个文件夹。
要移除它，删除这个文件夹即可；对话、设置和模型保留在 %LOCALAPPDATA%\\Inkstone。
"""


def make_tar(frozen: Frozen, version: Version, work: Path, target: Path, level: int) -> Path:
    """Pack a frozen program as ``inkstone-VERSION-linux-x86_64.tar.xz``, which runs anywhere.

    ``install.sh`` in it adds the menu's entry for one user, and takes it away again.
    """
    name = f"inkstone-{version.text}-linux-x86_64"
    tree = work / "tar" / name
    shutil.rmtree(tree.parent, ignore_errors=True)
    tree.mkdir(parents=True)
    for command in COMMANDS:
        shutil.copy(LINUX / "launcher.sh", tree / command)
        (tree / command).chmod(0o755)
    shutil.copy(LINUX / "install.sh", tree / "install.sh")
    (tree / "install.sh").chmod(0o755)
    shutil.copy(LINUX / "README.txt", tree / "README.txt")
    add_desktop_files(tree / "share", version)
    draw_icons(frozen.python, tree / "share" / "icons" / "hicolor")
    package = target / f"{name}.tar.xz"
    with tarfile.open(package, "w:xz", preset=level) as archive:
        _add(archive, tree, name, version.moment)
        _add(archive, frozen.folder, f"{name}/program", version.moment)
    say(f"{package}: {package.stat().st_size / 1e6:,.1f} MB")
    return package


def make_zip(frozen: Frozen, version: Version, target: Path) -> Path:
    """Pack a frozen program as ``Inkstone-VERSION-windows-portable.zip``."""
    name = f"Inkstone-{version.text}-windows-portable"
    package = target / f"{name}.zip"
    moment = time.gmtime(max(version.moment, 315_532_800))[:6]  # a zip knows no time before 1980
    with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        told = _PORTABLE.replace("\n", "\r\n").encode("utf-8-sig")  # as older editors read it
        archive.writestr(zipfile.ZipInfo(f"{name}/README.txt", moment), told)
        for file in sorted(f for f in frozen.folder.rglob("*") if f.is_file()):
            inside = f"{name}/{file.relative_to(frozen.folder).as_posix()}"
            entry = zipfile.ZipInfo(inside, moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w") as pressed:
                shutil.copyfileobj(source, pressed, 1 << 20)
    say(f"{package}: {package.stat().st_size / 1e6:,.1f} MB")
    return package


def _add(archive: tarfile.TarFile, folder: Path, name: str, moment: int) -> None:
    """Add a folder in the order of its names: no owners, one time, no mask of whoever builds."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = moment
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    for path in [folder, *sorted(folder.rglob("*"))]:
        inside = f"{name}/{path.relative_to(folder).as_posix()}".removesuffix("/.")
        archive.add(path, inside, recursive=False, filter=plain)
