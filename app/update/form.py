"""In which of its forms the program runs, and so how a newer version gets in its place."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_DPKG = Path("/var/lib/dpkg/info/inkstone.list")
_VERSIONS = "versions"  # beside the launchers of the tar form


class Form(StrEnum):
    """What the program was installed from; the value names its package in a release."""

    SOURCE = ""  # git, or an archive of the sources
    DEB = "deb"
    TAR = "tar"
    APPIMAGE = "appimage"
    WINDOWS_SETUP = "setup"
    WINDOWS_ZIP = "zip"
    MACOS = "dmg"


@dataclass(frozen=True, slots=True)
class Place:
    """Where and as what this program runs.

    Attributes:
        form: of the installation.
        platform: of its packages, for example "linux-x86_64".
        root: the folder with the launchers, of the tar form alone.
    """

    form: Form
    platform: str = ""
    root: Path | None = None

    @property
    def package(self) -> str:
        """What this place's package is called in a release, for example "linux-x86_64-deb"."""
        return f"{self.platform}-{self.form.value}"


def this_place() -> Place:
    """Find out about the running program."""
    if not getattr(sys, "frozen", False):
        return Place(Form.SOURCE)
    listed = _DPKG.read_text("utf-8") if _DPKG.is_file() else ""
    return frozen_place(Path(sys.executable), sys.platform, listed)


def frozen_place(executable: Path, system: str, listed: str) -> Place:
    """Return the place of an installed program.

    Args:
        executable: that runs.
        system: as ``sys.platform``.
        listed: the files that dpkg has of the package, one a line.
    """
    machine = f"{system}-{platform.machine()}".lower()
    folder = executable.resolve().parent
    if system == "win32":
        is_set_up = any(folder.glob("unins*.exe"))
        return Place(Form.WINDOWS_SETUP if is_set_up else Form.WINDOWS_ZIP, machine)
    if system == "darwin":
        return Place(Form.MACOS, machine)
    if os.environ.get("APPIMAGE"):
        return Place(Form.APPIMAGE, machine)
    if str(executable.resolve()) in listed.splitlines():
        return Place(Form.DEB, machine)
    above = folder.parent
    root = above.parents[1] if above.parent.name == _VERSIONS else above
    return Place(Form.TAR, machine, root)
