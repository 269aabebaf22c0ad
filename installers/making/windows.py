"""The Windows installer: Inno Setup packs the frozen program, for one user and without rights."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from installers.making.freeze import Frozen
from installers.making.steps import INSTALLERS, BuildError, run
from installers.making.version import Version

SCRIPT = INSTALLERS / "windows" / "inkstone.iss"


def make_installer(frozen: Frozen, version: Version, work: Path, target: Path) -> Path:
    """Pack a frozen program as ``Inkstone-VERSION-setup.exe``.

    Raises:
        BuildError: Inno Setup is not installed, or refused.
    """
    numbers = ".".join(map(str, version.numbers))
    defined = {
        "AppVersion": version.text, "AppNumbers": numbers, "Program": str(frozen.folder),
        "Target": str(target), "Icon": str(frozen.folder.parent / "inkstone.ico"),
    }  # fmt: skip
    definitions = [f"/D{name}={value}" for name, value in defined.items()]
    run([_compiler(), "/Qp", *definitions, SCRIPT], work)
    return target / f"Inkstone-{version.text}-setup.exe"


def _compiler() -> Path:
    """Inno Setup's compiler, on the path or where its own installer puts it."""
    found = shutil.which("iscc")
    if found:
        return Path(found)
    for variable in ("ProgramFiles(x86)", "ProgramFiles", "LOCALAPPDATA"):
        root = os.environ.get(variable)
        for folder in ("Inno Setup 6", "Programs/Inno Setup 6"):
            compiler = Path(root or "", folder, "ISCC.exe")
            if root and compiler.is_file():
                return compiler
    raise BuildError("Inno Setup 6 is not here: winget install JRSoftware.InnoSetup, then again.")
