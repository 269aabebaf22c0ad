"""Smaller copies of models that are not finished: where they grow, and how they are thrown away."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ENDING = ".partial"


@dataclass(frozen=True, slots=True)
class PartialCopy:
    """A copy that was begun.

    Attributes:
        target: the folder that it becomes.
        wish: what was asked for: "source", "bits", "group", "method", …
    """

    target: Path
    wish: dict[str, Any]


def partial_folder(target: Path) -> Path:
    """Where the copy of this name grows."""
    return target.with_name(f".{target.name}{ENDING}")


def partial_copies(folder: Path) -> Iterator[PartialCopy]:
    """What was begun in a folder and not finished."""
    for path in sorted(folder.glob(f".*{ENDING}")):
        try:
            wish = json.loads((path / "state.json").read_bytes())
        except (OSError, ValueError):
            continue
        if isinstance(wish, dict):
            name = path.name.removeprefix(".").removesuffix(ENDING)
            yield PartialCopy(path.with_name(name), wish)


def discard(target: Path) -> None:
    """Throw a copy that is not finished away; nothing happens where there is none."""
    shutil.rmtree(partial_folder(target), ignore_errors=True)
