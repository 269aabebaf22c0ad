"""Files that cannot be read are never deleted: they are renamed, with their name kept in front."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

LOGS = ("-wal", "-shm")  # what SQLite has beside a database


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename ``chats.db`` to ``chats.db.damaged-20260730-101500`` and return the new path."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.name}.{why}-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.{why}-{stamp}-{number}")
    return path.rename(aside)


def set_database_aside(path: Path, why: str = "damaged", sides: Sequence[str] = LOGS) -> Path:
    """Rename a database with what lies beside it, and return its new path."""
    aside = set_aside(path, why)
    for suffix in sides:
        side = path.with_name(path.name + suffix)
        if side.exists():
            side.rename(aside.with_name(aside.name + suffix))
    return aside
