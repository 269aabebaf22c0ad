"""The installed program: one set of files that starts in three ways.

``inkstone-window`` is the window, ``inkstone`` the engine's command line, and either with
``--part module`` first is what the window starts for a part of its work (``engine.service.program``
names the modules; nothing else is run).
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.service.program import PART, PARTS

_WINDOW = "inkstone-window"
_LINKER = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def main(arguments: Sequence[str], executable: str = sys.executable) -> int:
    """Run what the executable's name and the first argument ask for; the exit status."""
    restore_linker_paths(os.environ)
    if list(arguments[:1]) == [PART]:
        return _run_part(list(arguments[1:]))
    if Path(executable).stem == _WINDOW:
        return _run_window(list(arguments))
    from engine.cli import main as command_line  # noqa: PLC0415

    return command_line(arguments)


def restore_linker_paths(variables: os._Environ[str] | dict[str, str]) -> None:
    """Give programs of the system (a browser, ``nvidia-smi``) their own libraries again.

    The start of a frozen program puts its folder first on the linker's path and keeps what was
    there under the same name with ``_ORIG``; this process has read the path already.
    """
    for name in _LINKER:
        if (before := variables.get(f"{name}_ORIG")) is not None:
            variables[name] = before
        else:
            variables.pop(name, None)


def _run_window(arguments: list[str]) -> int:
    try:
        from app.main import main as window  # noqa: PLC0415 - a part needs no Qt
    except ImportError as error:
        if Path(error.path or "").suffix != ".so":  # it is no library that asks for another
            raise
        print(f"The window needs a library that this system lacks: {error.msg}", file=sys.stderr)
        return 1
    return window(["--starter", *arguments])


def _run_part(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in PARTS:
        print(f"inkstone {PART}: one of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    module, *rest = arguments
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0
