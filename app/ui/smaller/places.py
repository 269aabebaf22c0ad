"""Where a copy goes: a folder that is not there yet, on a disk with room for it."""

from __future__ import annotations

import shutil
from pathlib import Path

from app.ui.smaller.options import CUSTOM
from engine.library.recipes import Recipe


def free_bytes(folder: Path) -> int:
    """Bytes that are free where a copy goes."""
    there = next((each for each in (folder, *folder.parents) if each.is_dir()), Path("/"))
    return shutil.disk_usage(there).free


def plain_name(name: str) -> str:
    """A name that every system takes for a folder."""
    kept = "".join(c if c.isalnum() or c in "-_.+ " else "-" for c in name)
    return "-".join(kept.split()).strip(".-") or "model"


def label_of(key: str, recipe: Recipe) -> str:
    """What a copy's name says of how it was made."""
    if key != CUSTOM:
        return {"8": "8bit", "4": "4bit"}.get(key, "4bit-small")
    scheme = recipe.scheme
    return f"{scheme.bits}bit-g{scheme.group}-{recipe.method.value}"


def free_name(folder: Path, name: str) -> Path:
    """A folder that is not there yet."""
    names = (name, *(f"{name}-{number}" for number in range(2, 1000)))
    return next(folder / each for each in names if not (folder / each).exists())
