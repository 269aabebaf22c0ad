"""Packages of newer versions on this computer: fetched, verified, two of them kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection
from pathlib import Path

import httpx

from app.update.record import packages_folder
from app.update.release import Release
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.transfer import Download, Progress, Terms, fetch


def fetch_package(
    client: httpx.Client,
    release: Release,
    folder: Path,
    progress: Progress,
    cancelled: Callable[[], bool],
    limit: RateLimit,
) -> Path:
    """Fetch a package, continuing an earlier try; it has its name when its hash is right.

    Raises:
        Cancelled, EngineError: as ``fetch`` says.
    """
    target = packages_folder(folder) / release.package
    if target.is_file():  # it has its name since it was verified
        return target
    download = Download(release.address, target, release.sha256, size=release.size)
    return fetch(client, download, progress, cancelled, Terms(limit))


def arrived(release: Release, folder: Path) -> int:
    """Return how many bytes of a package are here."""
    target = packages_folder(folder) / release.package
    files = (target, target.with_name(target.name + ".part"))
    return next((file.stat().st_size for file in files if file.is_file()), 0)


def drop_packages(folder: Path, kept: Collection[str] = ()) -> None:
    """Remove every package but these, and what arrived of any."""
    if not kept:
        shutil.rmtree(packages_folder(folder), ignore_errors=True)
        return
    for file in packages_folder(folder).glob("*"):
        if file.name not in kept:
            file.unlink(missing_ok=True)
