"""How this very program is started again for a part of its work: the engine, or one long job.

From sources a part is ``python -m module``. The installed program has no Python beside it: there
the part is the program's own console form with ``--part module`` first, and ``app.frozen`` runs
the module if it is one of ``PARTS``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

PART = "--part"
PARTS = ("engine", "engine.service", "app.documents")
"""What the installed program runs when it is told to: nothing else can be asked of it."""
_CONSOLE = "inkstone"  # the window's form has no standard streams on Windows


def is_installed() -> bool:
    """Whether this is the installed program rather than sources under a Python."""
    return bool(getattr(sys, "frozen", False))


def program(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module of this program in a process of its own."""
    if is_installed():
        console = Path(sys.executable).with_name(_CONSOLE + Path(sys.executable).suffix)
        return [str(console), PART, module, *arguments]
    return [sys.executable, "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment, in which a started process finds this very program."""
    if is_installed():
        return dict(os.environ)
    root = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join([root, known] if known else [root])}
