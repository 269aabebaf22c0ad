"""Files that cannot be read are never deleted: they are renamed, with their name kept in front."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def set_aside(path: Path, why: str = "damaged") -> Path:
    """Rename ``chats.db`` to ``chats.db.damaged-20260730-101500`` and return the new path."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    aside = path.with_name(f"{path.name}.{why}-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.{why}-{stamp}-{number}")
    return path.rename(aside)
