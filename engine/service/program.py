"""How this very program is started again for a part of its work: the engine, or one long job."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def program(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module of ``engine`` in a process of its own."""
    return [sys.executable, "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment, in which a started process finds this very ``engine``."""
    root = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([root, known] if known else [root])}
