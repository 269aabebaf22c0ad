"""The hub's cache: ``models--NAME/snapshots/COMMIT``, whose files are links into ``blobs``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def snapshots(cache: Path) -> Iterator[tuple[str, Path]]:
    """(repository's folder name, snapshot) of every model, of each the newest first.

    What ``refs/main`` names is the newest; a file that it lacks may still lie in an older one.
    """
    for repository in _folders(cache, "models--"):
        try:
            main = (repository / "refs" / "main").read_text("utf-8").strip()
        except (OSError, ValueError):
            main = ""
        kept = sorted(_folders(repository / "snapshots"), key=_age)
        for snapshot in sorted(kept, key=lambda folder: folder.name != main):
            yield repository.name, snapshot


def _folders(folder: Path, start: str = "") -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [e.path for e in entries if e.name.startswith(start) and e.is_dir()]
    except OSError:
        return []
    return [Path(path) for path in sorted(found)]


def _age(folder: Path) -> float:
    try:
        return -folder.stat().st_mtime
    except OSError:
        return 0.0
