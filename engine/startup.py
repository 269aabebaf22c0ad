"""Loading the engine's libraries: in steps that can be shown and stopped.

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
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from engine.contract import Event, Progress, Stage

_MODULES = ("numpy", "torch", "numba", "tokenizers", "jinja2", "engine.loading")
"""What is imported, a step each; the last one imports whatever is left."""

_LIBRARIES = (
    ("torch", "lib/libtorch_global_deps", True),
    ("torch", "lib/libtorch_cpu", False),
    ("torch", "lib/libtorch_cuda", False),
    ("llvmlite", "binding/libllvmlite", False),
)
"""(package, path in it, whether its symbols are global as torch itself loads it)."""


def load_libraries(request: int) -> Iterator[Event]:
    """Import what the engine stands on without stalling other threads, as progress of a request.

    Says nothing when everything is there already.
    """
    if all(module in sys.modules for module in _MODULES):
        return
    steps = len(_MODULES) + 1
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield Progress(request, Stage.STARTING, 0, steps)
        _preload_shared_libraries()
        for done, module in enumerate(_MODULES, 1):
            yield Progress(request, Stage.STARTING, done, steps)
            import_module(module)
        gc.freeze()
        yield Progress(request, Stage.STARTING, steps, steps)
    finally:
        if collecting:
            gc.enable()


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
