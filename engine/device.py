"""Which devices compute, and what memory there is and is used."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import torch

from engine.contract import EngineError, FaultKind
from engine.kernels.allocation import asked_bytes, is_out_of_memory


def free_bytes(device: torch.device) -> int:
    """Memory that could be taken now without pushing anything else out."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":  # its share of the memory that it has in common with the CPU
        return int(torch.mps.recommended_max_memory()) - int(torch.mps.driver_allocated_memory())
    return int(psutil.virtual_memory().available)


def device_names(wanted: str | None) -> tuple[str, ...]:
    """The devices that a model may be placed on, in the order in which they are filled.

    Where nothing is wished, GPUs that CUDA knows come first. Apple's are used when asked for: the
    CPU kernels read weights of few bits as they are, which no kernel for MPS does yet.

    Args:
        wanted: "cuda" is all GPUs; None leaves the choice.
    """
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted == "cpu" or (wanted is None and count == 0):
        return ("cpu",)
    if wanted in {None, "cuda"} and count:
        return (*(f"cuda:{index}" for index in range(count)), "cpu")
    return (wanted or "cpu", "cpu")


def give_back(device: torch.device) -> None:
    """Return what was freed of a device's memory, and is kept all the same, to the system.

    On the CPU that is glibc's heap: it keeps up to 64 MiB, once larger pieces were freed.
    """
    if device.type == "cuda":
        torch.cuda.empty_cache()
    elif device.type == "mps":
        torch.mps.empty_cache()
    elif sys.platform == "linux":
        with suppress(AttributeError):  # other libraries have no such function
            ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def out_of_memory_named(device: torch.device) -> Iterator[None]:
    """Turn a failed allocation below into the fault that names it.

    Raises:
        EngineError: OUT_OF_MEMORY with the bytes that were asked for, where the allocator tells.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # torch.OutOfMemoryError is a RuntimeError
        if not is_out_of_memory(error):
            raise
        needed = asked_bytes(error)
        give_back(device)
        raise EngineError(
            FaultKind.OUT_OF_MEMORY, needed=needed, free=free_bytes(device), device=str(device)
        ) from error


def peak_resident_bytes() -> int:
    """The most memory that this process ever held at once."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    if sys.platform == "linux":
        return _high_water_bytes(Path("/proc/self/status").read_text("ascii", "replace"))
    import resource  # noqa: PLC0415 (not on Windows)

    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _high_water_bytes(status: str) -> int:
    """``VmHWM`` of a process's status; ``getrusage`` counts the memory of who started it, too."""
    lines = (line.split() for line in status.splitlines())
    return next((int(words[1]) * 1024 for words in lines if words[:1] == ["VmHWM:"]), 0)
