"""Which device computes, and what memory there is and is used."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import torch

from engine.contract import EngineError, FaultKind


def free_bytes(device: torch.device) -> int:
    """Memory that could be taken now without pushing anything else out."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return int(psutil.virtual_memory().available)


@contextmanager
def out_of_memory_named(device: torch.device) -> Iterator[None]:
    """Turn a failed allocation below into the fault that names it.

    Raises:
        EngineError: OUT_OF_MEMORY with the bytes that were asked for, where the allocator tells.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # torch.OutOfMemoryError is a RuntimeError
        is_cpu = "DefaultCPUAllocator" in str(error)  # torch has no type for its CPU allocator
        if not (is_cpu or isinstance(error, MemoryError | torch.OutOfMemoryError)):
            raise
        asked = re.search(r"allocate (\d+) bytes", str(error))
        needed = int(asked[1]) if asked else 0
        raise EngineError(
            FaultKind.OUT_OF_MEMORY, needed=needed, free=free_bytes(device), device=str(device)
        ) from error


def peak_resident_bytes() -> int:
    """The most memory that this process ever held at once."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource  # noqa: PLC0415 (not on Windows)

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024
