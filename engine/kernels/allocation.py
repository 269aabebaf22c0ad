"""How the allocators of CPU, CUDA and MPS say that there is no more: torch has a type for one."""

from __future__ import annotations

import re

import torch

CPU_FULL = "DefaultCPUAllocator"
MPS_FULL = "MPS backend out of memory"
UNITS = {"b": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that an allocation failed."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error)
    return isinstance(error, RuntimeError) and (CPU_FULL in text or MPS_FULL in text)


def asked_bytes(error: BaseException) -> int:
    """How much was asked for; 0 where the message does not tell."""
    asked = re.search(r"allocate ([\d.]+) (bytes|[KMG]i?B)", str(error))
    return int(float(asked[1]) * UNITS[asked[2][0]]) if asked else 0
