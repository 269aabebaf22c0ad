"""The ``.deb``: the program in /opt, and beside it what a desktop needs to know of it."""

from __future__ import annotations

import gzip
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from installers.making.freeze import Frozen, draw_icons
from installers.making.papers import BILL, NOTICES
from installers.making.steps import INSTALLERS, output, run, say
from installers.making.version import Version

LINUX = INSTALLERS / "linux"
HOME = "opt/inkstone"
COMMANDS = ("inkstone", "inkstone-window")
HELP_FILES = {
    "man/man1/inkstone.1.gz": ("manual",),
    "bash-completion/completions/inkstone": ("completion", "bash"),
    "zsh/vendor-completions/_inkstone": ("completion", "zsh"),
    "fish/vendor_completions.d/inkstone.fish": ("completion", "fish"),
}
APPSTREAM_ID = "io.github.inkstone.Inkstone"
# Not found by a look at the libraries: Qt opens these only when it needs them
OPENED = ("libegl1", "libgl1", "libxkbcommon-x11-0 | libxkbcommon0", "ca-certificates", "xdg-utils")
# The name of the program itself is a Chinese character; where there is no such font, a small one
FONTS = "fonts-wqy-microhei | fonts-noto-cjk | fonts-droid-fallback"
RECOMMENDED = "fonts-noto-core, gnome-keyring | kwalletmanager"
DESCRIPTION = """\
chat with language models on this computer, offline
 A window over an engine that runs language models on this machine: private,
 offline, fast. A small model comes with it; GGUF and safetensors files that
 are here already are found.
"""


def make_deb(frozen: Frozen, version: Version, work: Path, target: Path, level: int) -> Path:
    """Pack a frozen program as ``inkstone_VERSION_amd64.deb``.

    Args:
        frozen: the program.
        version: what it is called.
        work: a folder for the tree that is packed.
        target: the folder that receives the package.
        level: of zstd, 1 to 19.

    Raises:
        BuildError: a tool is missing or refused.
    """
    tree = work / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    home = tree / HOME
    home.parent.mkdir(parents=True)
    shutil.copytree(frozen.folder, home, symlinks=True, copy_function=_link)
    commands = tree / "usr" / "bin"
    commands.mkdir(parents=True)
    for name in COMMANDS:
        (commands / name).symlink_to(f"../../{HOME}/{name}")
    add_desktop_files(tree / "usr" / "share", version)
    add_command_help(tree / "usr" / "share", [home / "inkstone"], version)
    add_papers_links(tree / "usr" / "share" / "doc" / "inkstone")
    draw_icons(frozen.python, tree / "usr" / "share" / "icons" / "hicolor")
    _write_control(tree, version, needed_packages(home, work))
    _set_times(tree, version.moment)
    package = target / f"inkstone_{version.debian}_{_architecture()}.deb"
    options = ["-Zzstd", f"-z{level}", "--root-owner-group", "--threads-max=2"]
    run(["dpkg-deb", *options, "--build", tree, package], SOURCE_DATE_EPOCH=str(version.moment))
    say(f"{package}: {package.stat().st_size / 1e6:,.1f} MB")
    return package


def add_desktop_files(share: Path, version: Version) -> None:
    """Put what the desktop reads below a ``share`` folder."""
    about = (LINUX / f"{APPSTREAM_ID}.metainfo.xml").read_text("utf-8")
    about = about.replace("@VERSION@", version.text).replace("@DAY@", version.day)
    for place, text in (
        (f"metainfo/{APPSTREAM_ID}.metainfo.xml", about),
        ("applications/inkstone.desktop", (LINUX / "inkstone.desktop").read_text("utf-8")),
        ("mime/packages/inkstone.xml", (LINUX / "inkstone-mime.xml").read_text("utf-8")),
    ):
        file = share / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def add_command_help(share: Path, program: Sequence[str | Path], version: Version) -> None:
    """Put the command's manual page and the shells' completions below a ``share`` folder.

    The program writes them itself, so they are of the options that it has.
    """
    for place, arguments in HELP_FILES.items():
        file = share / place
        file.parent.mkdir(parents=True, exist_ok=True)
        text = output([*program, *arguments], SOURCE_DATE_EPOCH=str(version.moment))
        if file.suffix == ".gz":
            file.write_bytes(gzip.compress(text.encode("utf-8"), mtime=version.moment))
        else:
            file.write_text(text, "utf-8")


def add_papers_links(folder: Path) -> None:
    """Let the program's papers be found where Debian keeps those of every package."""
    folder.mkdir(parents=True)
    for link, paper in (("copyright", NOTICES), (BILL, BILL)):
        (folder / link).symlink_to(f"../../../../{HOME}/{paper}")


def needed_packages(home: Path, work: Path) -> list[str]:
    """The packages of the system's libraries that the program's own files ask for."""
    scratch = work / "shlibdeps"
    (scratch / "debian").mkdir(parents=True, exist_ok=True)
    (scratch / "debian" / "control").write_text(
        "Source: inkstone\n\nPackage: inkstone\nArchitecture: any\n"
    )
    binaries = [str(f) for f in sorted(home.rglob("*")) if f.is_file() and is_native(f)]
    inside = sorted({f"-l{Path(b).parent}" for b in binaries})
    command = ["dpkg-shlibdeps", "-O", "--ignore-missing-info", "--warnings=0", *inside]
    told = output([*command, *(f"-e{binary}" for binary in binaries)], scratch)
    found = re.search(r"^shlibs:Depends=(.*)$", told, re.MULTILINE)
    return found[1].split(", ") if found else []


def is_native(file: Path) -> bool:
    """Whether a file is a program or a library of this system."""
    if file.is_symlink() or not (".so" in file.name or os.access(file, os.X_OK)):
        return False
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def _write_control(tree: Path, version: Version, needed: list[str]) -> None:
    depends = [*sorted({*needed, *OPENED}), FONTS]
    size = sum(f.lstat().st_size for f in tree.rglob("*") if f.is_file()) // 1024
    control = tree / "DEBIAN"
    control.mkdir()
    fields = {
        "Package": "inkstone", "Version": version.debian, "Architecture": _architecture(),
        "Maintainer": "The Inkstone project <inkstone@localhost>", "Section": "misc",
        "Priority": "optional", "Installed-Size": str(size), "Depends": ", ".join(depends),
        "Recommends": RECOMMENDED, "Description": DESCRIPTION.rstrip(),
    }  # fmt: skip
    text = "".join(f"{name}: {value}\n" for name, value in fields.items())
    (control / "control").write_text(text, "utf-8")
    shutil.copy(LINUX / "postrm", control / "postrm")
    (control / "postrm").chmod(0o755)


def _architecture() -> str:
    return output(["dpkg", "--print-architecture"]).strip()


def _link(source: str, target: str) -> None:
    """A second name instead of a copy: the tree is packed and never changed."""
    os.link(source, target, follow_symlinks=False)


def _set_times(tree: Path, moment: int) -> None:
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, (moment, moment), follow_symlinks=False)
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
