"""The runtime onto this machine: files fetched, verified, unpacked, tried, and only then named."""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from filelock import FileLock
from packaging.tags import sys_tags

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import open_client
from engine.library.downloads.disk import Cancelled, check_space, disk_fault
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.transfer import Download, Terms, fetch
from engine.library.pip_settings import PipSettings
from engine.library.runtime.place import folder_of, runtime_folder
from engine.library.runtime.variants import Variant
from engine.library.runtime.wheels import Wheel, find_wheels

_PIECE = 1 << 20  # bytes
_ROOTS = ("purelib", "platlib")  # of a wheel's ".data": they belong beside the packages

Progress = Callable[[int, int], None]
"""``(done, total)`` in bytes, of the download."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an installation fetches."""

    variant: Variant
    wheels: tuple[Wheel, ...]

    @property
    def size(self) -> int:
        """Bytes of the download."""
        return sum(wheel.size for wheel in self.wheels)


def plan_install(variant: Variant, settings: PipSettings) -> Plan:
    """Ask the index what the variant takes; the faults are ``find_wheels``'s."""
    indexes = [each for each in settings.indexes if each.startswith(("http://", "https://"))]
    with open_client(settings.certificate, settings.proxy) as client:
        return Plan(variant, find_wheels(client, indexes, variant.wheels, list(sys_tags())))


def install(
    plan: Plan,
    settings: PipSettings,
    progress: Progress,
    cancelled: Callable[[], bool],
    attempt: Callable[[Path], str],
    limit: RateLimit,
) -> Path:
    """Fetch and unpack a plan; an earlier try is continued.

    Args:
        plan: what.
        settings: certificate and proxy.
        progress: hears how far the download is.
        cancelled: asked between pieces.
        attempt: starts torch from a folder in a process of its own; why that fails, or "".
        limit: of all downloads together.

    Returns:
        The folder.

    Raises:
        Cancelled: ``cancelled`` said so; what arrived is kept.
        EngineError: those of ``fetch``, ``DISK_FULL``, ``FILE_DAMAGED`` (a file is no wheel),
            ``RUNTIME_FAILS`` (what was fetched is kept).
    """
    folder, place = folder_of(plan.variant), runtime_folder()
    waiting = place / f".wheels-{folder.name}"
    try:
        waiting.mkdir(parents=True, exist_ok=True)
        with FileLock(place / ".lock"):
            if not folder.is_dir():
                files = _fetch_all(plan, settings, waiting, progress, cancelled, limit)
                _make(files, folder, cancelled, attempt)
            shutil.rmtree(waiting)
    except OSError as error:
        raise disk_fault(error, folder) from error
    return folder


def _fetch_all(
    plan: Plan,
    settings: PipSettings,
    waiting: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
    limit: RateLimit,
) -> list[Path]:
    downloads = [
        Download(wheel.address, waiting / wheel.name, wheel.sha256, size=wheel.size)
        for wheel in plan.wheels
    ]
    missing = sum(each.size - _there(each) for each in downloads)
    check_space(waiting, missing)
    before = 0
    with open_client(settings.certificate, settings.proxy) as client:
        for each in downloads:
            if not each.target.is_file():  # it has its name since it was verified

                def show(done: int, _total: int, before: int = before) -> None:
                    progress(before + done, plan.size)

                fetch(client, each, show, cancelled, Terms(limit))
            before += each.size
            progress(before, plan.size)
    return [each.target for each in downloads]


def _there(download: Download) -> int:
    """Bytes of a download that are on disk."""
    files = [file for file in (download.target, download.part) if file.is_file()]
    return min(sum(file.stat().st_size for file in files), download.size)


def _make(
    files: Sequence[Path],
    folder: Path,
    cancelled: Callable[[], bool],
    attempt: Callable[[Path], str],
) -> None:
    """Unpack beside the folder, try it, and give it the folder's name."""
    unfinished = folder.with_name(f".new-{folder.name}")
    if unfinished.exists():
        shutil.rmtree(unfinished)  # of a program that was ended
    unfinished.mkdir()
    try:
        for file in files:
            unpack(file, unfinished, cancelled)
        if reason := attempt(unfinished):
            raise EngineError(FaultKind.RUNTIME_FAILS, reason=reason)
        unfinished.rename(folder)
    finally:
        if unfinished.exists():
            shutil.rmtree(unfinished)


def unpack(wheel: Path, folder: Path, cancelled: Callable[[], bool]) -> None:
    """Unpack a wheel's packages; scripts and headers are not needed.

    Raises:
        Cancelled: ``cancelled`` said so.
        EngineError: ``DISK_FULL``, ``FILE_DAMAGED`` (no wheel, or a file that leads elsewhere).
        OSError: a write that the system refused.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            check_space(folder, sum(each.file_size for each in members))
            for member in members:
                parts = _place(wheel, member.filename)
                if parts:
                    _write(archive, member, folder.joinpath(*parts), cancelled)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise EngineError(
            FaultKind.FILE_DAMAGED, path=str(wheel), detail=str(error) or "it ends early"
        ) from error


def _place(wheel: Path, name: str) -> tuple[str, ...]:
    """Where a file of a wheel belongs under the folder; nowhere if that is empty."""
    parts = PurePosixPath(name).parts
    if ".." in parts or "\\" in name or ":" in name or name.startswith("/"):
        raise EngineError(
            FaultKind.FILE_DAMAGED, path=str(wheel), detail=f"{name} leads out of the folder"
        )
    if not parts[0].endswith(".data"):
        return parts
    return parts[2:] if parts[1:2] and parts[1] in _ROOTS else ()


def _write(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: Path, cancelled: Callable[[], bool]
) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, file.open("wb") as target:
        while piece := source.read(_PIECE):
            if cancelled():
                raise Cancelled
            target.write(piece)
    mode = member.external_attr >> 16
    if mode & 0o111:  # an assembler, for example
        file.chmod(0o755)
