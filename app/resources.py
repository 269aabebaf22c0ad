"""Where the data files lie that ship with the program: themes, icons, translations."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1] / "resources"


def resource(*parts: str) -> Path:
    """Return the path of a file or folder below ``resources/``."""
    return _FOLDER.joinpath(*parts)
