"""The papers that every package carries: its licence, those of its parts, the bill of materials."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from installers.making.environment import tool_python
from installers.making.freeze import Frozen
from installers.making.steps import CHECKOUT, INSTALLERS, run
from installers.making.version import Version

NOTICES, BILL, LICENCE = "THIRD-PARTY-NOTICES.txt", "inkstone.cdx.json", "LICENSE.txt"


def papers_folder(frozen: Frozen) -> Path:
    """Where the papers lie in a frozen program: at its top, in a bundle for macOS inside."""
    if frozen.folder.suffix == ".app":
        return frozen.folder / "Contents" / "Resources"
    return frozen.folder


def add_papers(frozen: Frozen, version: Version, work: Path) -> None:
    """Write the papers about the packages that really lie in a frozen program.

    Args:
        frozen: the program.
        version: what it is called.
        work: a folder for the environment of the tool that writes the bill.

    Raises:
        BuildError: a part says nothing about its licence or is under the GPL alone, or the tool
            cannot be had.
    """
    folder = papers_folder(frozen)
    shutil.copy(CHECKOUT / "resources" / "licences" / "Apache-2.0.txt", folder / LICENCE)
    about = ["--packages", frozen.packages, "--version", version.text]
    run([sys.executable, INSTALLERS / "licences.py", folder / NOTICES, *about])
    run([tool_python(work / "tools"), INSTALLERS / "sbom.py", folder / BILL, *about])
