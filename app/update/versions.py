"""The tar form's versions side by side, and the link that says which of them starts.

``program`` is what the archive brought; newer versions lie in ``versions/1.3.0/program``, and
``current`` leads to the one that the launchers start. A version gets its name when everything of
it is there, and the link is put in place in one step: a power cut leaves the old or the new one.
"""

from __future__ import annotations

import lzma
import os
import shutil
import tarfile
from collections.abc import Callable, Collection
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.library.downloads.disk import Cancelled, check_space, disk_fault

WINDOW = "inkstone-window"
_FIRST = "program"
_CURRENT = "current"
_NUMBER = Path("_internal", "packages", "resources", "version.txt")  # of a frozen program


def unpack(package: Path, root: Path, version: str, cancelled: Callable[[], bool]) -> Path:
    """Unpack a package beside the running version; nothing is switched.

    Raises:
        Cancelled: ``cancelled`` said so; nothing is left.
        EngineError: ``DISK_FULL``, ``FILE_DAMAGED`` (no program in it), ``FILE_UNREADABLE`` (the
            folder cannot be written).
    """
    target = root / "versions" / version
    unfinished = target.with_name(f".new-{version}")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        try:
            _extract(package, unfinished, cancelled)
            shutil.rmtree(target, ignore_errors=True)
            _top(package, unfinished).rename(target)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise disk_fault(error, target) from error
    return target


def switch(root: Path, version: str) -> None:
    """Let the launchers start another version from now on.

    Args:
        root: the folder with the launchers.
        version: one that was unpacked; anything else is the one that the archive brought.

    Raises:
        EngineError: ``FILE_UNREADABLE``; the link leads where it led.
    """
    link = root / _CURRENT
    new = root / f".{_CURRENT}.new"
    try:
        new.unlink(missing_ok=True)
        if (root / "versions" / version).is_dir():
            new.symlink_to(Path("versions") / version)
            os.replace(new, link)
        else:
            link.unlink(missing_ok=True)
    except OSError as error:
        raise disk_fault(error, link) from error


def has_version(root: Path, version: str) -> bool:
    """Say whether a version is still there."""
    folder = root if version == first_version(root) else root / "versions" / version
    return (folder / _FIRST / WINDOW).is_file()


def first_version(root: Path) -> str:
    """Return the version of what the archive brought; empty where it is gone."""
    try:
        return (root / _FIRST / _NUMBER).read_text("utf-8").strip()
    except OSError:
        return ""


def drop_others(root: Path, kept: Collection[str]) -> None:
    """Remove every version but these; what the system refuses stays."""
    if (first := first_version(root)) and first not in kept:
        shutil.rmtree(root / _FIRST, ignore_errors=True)
    for folder in (root / "versions").glob("*"):
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)


def _extract(package: Path, folder: Path, cancelled: Callable[[], bool]) -> None:
    try:
        with tarfile.open(package, "r:*") as archive:
            members = archive.getmembers()
            check_space(folder, sum(each.size for each in members))
            for member in members:
                if cancelled():
                    raise Cancelled
                archive.extract(member, folder, filter="data")
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise EngineError(
            FaultKind.FILE_DAMAGED, path=str(package), detail=str(error) or "it ends early"
        ) from error


def _top(package: Path, folder: Path) -> Path:
    """Return the one folder of an archive, when there is a program in it."""
    found = [each for each in folder.iterdir() if (each / _FIRST / WINDOW).is_file()]
    if len(found) != 1:
        raise EngineError(FaultKind.FILE_DAMAGED, path=str(package), detail="no program in it")
    return found[0]
