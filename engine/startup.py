"""Loading the engine's libraries: in steps that can be shown and stopped.

``import torch`` takes seconds, so it happens when the first model is loaded, as
``Progress(STARTING)``.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from importlib import import_module

from engine.contract import Event, Progress, Stage

_MODULES = ("numpy", "torch", "numba", "tokenizers", "jinja2", "engine.loading")
"""What is imported, a step each; the last one imports whatever is left."""


def load_libraries(request: int) -> Iterator[Event]:
    """Import what the engine stands on, as progress of a request; nothing if it is there already.

    The collector is paused meanwhile, and what was imported is taken out of its later rounds:
    torch, numba and their tables are some hundred thousand objects that live for ever, and a full
    collection over them stops a reply for 160-270 ms.
    """
    if all(module in sys.modules for module in _MODULES):
        return
    steps = len(_MODULES)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for done, module in enumerate(_MODULES):
            yield Progress(request, Stage.STARTING, done, steps)
            import_torch() if module == "torch" else import_module(module)
        gc.freeze()
        yield Progress(request, Stage.STARTING, steps, steps)
    finally:
        if collecting:
            gc.enable()


def import_torch() -> None:
    """Import torch from the CUDA runtime where there is one, else or if that fails our own.

    Raises:
        ImportError, OSError: our own cannot be imported.
    """
    # the window, which starts this as a process, imports this module too and needs no runtime
    from engine.library.runtime.place import give_up_runtime, use_runtime  # noqa: PLC0415

    if "torch" not in sys.modules:
        use_runtime(sys.path)
    try:
        import_module("torch")
    except (ImportError, OSError) as error:  # a library that the linker refuses is an OSError
        if not give_up_runtime(str(error), sys.path, sys.modules):
            raise
        import_module("torch")
