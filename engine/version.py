"""Which version of Inkstone this is."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def program_version(root: Path = _ROOT) -> str:
    """Return what the build wrote (from the git tag), else the number that the sources carry.

    Args:
        root: the folder that holds ``engine`` and ``resources``.
    """
    try:
        return (root / "resources" / "version.txt").read_text("utf-8").strip()
    except OSError:
        pass  # run from the sources
    try:
        found = re.search(
            r'^version = "([^"]+)"', (root / "pyproject.toml").read_text("utf-8"), re.MULTILINE
        )
    except OSError:
        return ""
    return found[1] if found else ""
