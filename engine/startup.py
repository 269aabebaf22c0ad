"""The engine before its libraries are loaded: it loads them in steps that can be shown and stopped.

``import torch`` takes seconds, so it happens when the first model is loaded, on the engine's
thread, as ``Progress(STARTING)``. A window in the same process must not stall meanwhile, and a
thread that holds the interpreter's lock stalls it. Measured with a heartbeat thread (2 cores, both
in use; longest gap between two beats):

* plain imports: 270-805 ms, the dynamic linker's time for the 434 MB of libtorch_cpu, which
  ``import`` and ``ctypes.CDLL`` spend with the lock held;
* the libraries loaded first by calling ``dlopen`` as a foreign function, which gives the lock up:
  45-56 ms;
* and with the garbage collector paused: 26-39 ms, the initialisation of ``torch._C``.

Afterwards one full collection takes 160-270 ms with the lock held, because torch, numba and their
tables are some hundred thousand objects; ``gc.freeze`` takes them out of every later collection.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from engine.contract import (
    Command,
    CommandRunner,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Load,
    Progress,
    Stage,
    Unload,
)

_MODULES = ("numpy", "torch", "numba", "tokenizers", "jinja2", "engine.engine")
"""What is imported, a step each; the last one imports whatever is left."""

_LIBRARIES = (
    ("torch", "lib/libtorch_global_deps", True),
    ("torch", "lib/libtorch_cpu", False),
    ("torch", "lib/libtorch_cuda", False),
    ("llvmlite", "binding/libllvmlite", False),
)
"""(package, path in it, whether its symbols are global as torch itself loads it)."""


class StartingEngine:
    """A ``CommandRunner`` that becomes the real engine at the first ``Load``."""

    def __init__(self) -> None:
        self._engine: CommandRunner | None = None

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Run a command; the first load imports the engine's libraries before anything else.

        Raises:
            EngineError: NO_MODEL for whatever needs a model before the first load.
        """
        if self._engine is None and isinstance(command, Load):
            for done in load_libraries():
                yield Progress(command.request, Stage.STARTING, done, len(_MODULES) + 1)
                if cancelled():
                    yield Finished(command.request, FinishReason.CANCELLED)
                    return
            self._engine = _make_engine()
        if self._engine is not None:
            yield from self._engine.run(command, cancelled)
        elif isinstance(command, Unload):
            yield Finished(command.request, FinishReason.DONE)
        else:
            raise EngineError(FaultKind.NO_MODEL)

    def close(self) -> None:
        """Free the engine, if it was ever started."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def load_libraries() -> Iterator[int]:
    """Import what the engine stands on without stalling other threads; yields the steps done."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield 0
        _preload_shared_libraries()
        for done, module in enumerate(_MODULES, 1):
            yield done
            import_module(module)
        gc.freeze()
        yield len(_MODULES) + 1
    finally:
        if collecting:
            gc.enable()


def _make_engine() -> CommandRunner:
    from engine.engine import Engine  # noqa: PLC0415 (its imports take seconds; see above)

    return Engine()


def _preload_shared_libraries() -> None:
    """Load the largest shared libraries with the interpreter's lock released.

    Not on Windows, where torch itself loads them by a foreign function. A library that cannot be
    loaded is left to the import, whose message says what is missing.
    """
    if sys.platform == "win32":
        return
    load = ctypes.CDLL(None).dlopen
    load.restype, load.argtypes = ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int)
    suffix = ".dylib" if sys.platform == "darwin" else ".so"
    for package, name, is_global in _LIBRARIES:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            continue
        path = Path(spec.origin).parent / (name + suffix)
        if path.exists():
            load(os.fsencode(path), os.RTLD_NOW | (os.RTLD_GLOBAL if is_global else os.RTLD_LOCAL))
