"""Operations: functions compiled by numba to native code, once per machine.

What a program runs is ``void (arguments, state, thread, threads)``: the address of its own table of
numbers, the address of the step's, and which share of the work is its. Others are called by address
from within. All arguments are int64.

A function is compiled the first time its address is wanted, and kept on disk in a folder whose name
is a hash of these sources, the processor and numba's version; numba alone would not notice a change
in a function that an operation calls from another file.
"""

from __future__ import annotations

import atexit
import hashlib
import inspect
import pickle
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from llvmlite import binding as llvm
from numba import cfunc, config, types

OperationFunction = Callable[..., None]
HALF_WRITTEN = (
    EOFError, pickle.UnpicklingError, AttributeError, ImportError, IndexError, ValueError
)  # fmt: skip
"""What reading an index raises that a full disk or a power cut damaged: pickle promises no less."""


@cache
def cache_folder() -> Path:
    """Where compiled code of exactly these sources is kept."""
    parts = hashlib.sha256()
    sources = sorted(Path(__file__).parent.glob("*.py"))
    for source in sources:
        parts.update(source.read_bytes())
    if not sources:  # a frozen program
        parts.update(str(Path(sys.executable).stat().st_mtime_ns).encode())
    machine = (numba.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    parts.update("\n".join(machine).encode())
    root = Path(platformdirs.user_cache_dir("Inkstone", appauthor=False))
    folder = root / "kernels" / parts.hexdigest()[:24]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:  # not writable: compile again at every start
        made = tempfile.TemporaryDirectory(prefix="inkstone-kernels-", ignore_cleanup_errors=True)
        atexit.register(made.cleanup)  # which holds the folder until then
        return Path(made.name)


class Operation:
    """A function of integers with its native address."""

    def __init__(self, function: OperationFunction) -> None:
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._function = function
        self._compiled: Any = None

    @property
    def address(self) -> int:
        """Its native address, compiled or loaded from disk now if it was not yet."""
        self.compile()
        return int(self._compiled.address)

    def compile(self) -> None:
        """Compile it, or load it from disk, if that was not done yet."""
        if self._compiled is not None:
            return
        config.CACHE_DIR = str(cache_folder())
        count = len(inspect.signature(self._function).parameters)
        signature = types.void(*[types.int64] * count)
        flags = {"contract", "reassoc", "nsz", "arcp"}
        build = cfunc(signature, cache=True, nopython=True, error_model="numpy", fastmath=flags)
        try:
            self._compiled = build(self._function)
        except HALF_WRITTEN:
            self._forget()
            self._compiled = build(self._function)

    def _forget(self) -> None:
        """Remove what is kept of it: numba begins anew where there is no index."""
        module = self._function.__module__.rpartition(".")[2]
        for index in cache_folder().rglob(f"{module}.{self.name}-*.nbi"):
            index.unlink(missing_ok=True)


def operation(function: OperationFunction) -> Operation:
    """Make a function an operation."""
    return Operation(function)
