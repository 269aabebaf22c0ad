"""The macOS disk image: the app signed inside out, and beside it the way to Applications."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from installers.making.freeze import Frozen
from installers.making.steps import INSTALLERS, run
from installers.making.version import Version

ENTITLEMENTS = INSTALLERS / "macos" / "entitlements.plist"
_MACH_O = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
AD_HOC = "-"
"""The identity of a signature without an identity: it runs where it was built, and elsewhere
after its user allowed it."""


def make_dmg(frozen: Frozen, version: Version, work: Path, target: Path) -> Path:
    """Sign ``Inkstone.app`` and pack it as ``Inkstone-VERSION-arm64.dmg``.

    ``INKSTONE_SIGNING_IDENTITY`` names a Developer ID; ``installers/macos/notarise.sh`` sends the
    image to Apple afterwards.

    Raises:
        BuildError: a tool of the system refused.
    """
    sign(frozen.folder, os.environ.get("INKSTONE_SIGNING_IDENTITY") or AD_HOC)
    stage = work / "dmg"
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    shutil.copytree(frozen.folder, stage / frozen.folder.name, symlinks=True)
    (stage / "Applications").symlink_to("/Applications")
    package = target / f"Inkstone-{version.text}-arm64.dmg"
    image = ["hdiutil", "create", "-volname", "Inkstone", "-srcfolder", stage, "-ov"]
    run([*image, "-fs", "HFS+", "-format", "ULMO", package])
    return package


def sign(bundle: Path, identity: str) -> None:
    """Sign every native file of a bundle, then the bundle itself, which seals the rest."""
    native = [f for f in sorted(bundle.rglob("*")) if f.is_file() and is_mach_o(f)]
    runtime = [] if identity == AD_HOC else ["--options", "runtime", "--timestamp"]
    command = ["codesign", "--force", "--sign", identity, *runtime]
    for start in range(0, len(native), 200):
        run([*command, *native[start : start + 200]])
    run([*command, "--entitlements", ENTITLEMENTS, bundle])
    run(["codesign", "--verify", "--deep", "--strict", bundle])


def is_mach_o(file: Path) -> bool:
    """Whether a file is machine code of macOS."""
    if file.is_symlink():
        return False
    with file.open("rb") as opened:
        return opened.read(4) in _MACH_O
