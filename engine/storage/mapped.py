"""Large plain tensors, mapped so that their pages go back while they are still being read.

Pages of a mapping count as memory of the process once they were touched. An embedding of Gemma's
vocabulary would so be in memory twice while it is laid out for the processor, with its copies of 4
bits the most that a load ever takes. What the ``safetensors`` library maps cannot be given back
before the tensor is gone.
"""

from __future__ import annotations

import mmap
from math import prod
from pathlib import Path
from weakref import WeakSet

import torch
from torch import Tensor

from engine.storage.safetensors_header import StoredTensor

LARGE = 32 << 20  # bytes
_TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


class Mappings:
    """Maps tensors one by one, each as long as the tensor lives."""

    def __init__(self) -> None:
        self._alive: WeakSet[mmap.mmap] = WeakSet()

    @staticmethod
    def serves(stored: StoredTensor) -> bool:
        """Whether a tensor is worth a mapping of its own, and lies where it can be viewed."""
        dtype = _TYPES.get(stored.dtype)
        return dtype is not None and stored.nbytes >= LARGE and stored.begin % dtype.itemsize == 0

    def map(self, file: Path, stored: StoredTensor) -> Tensor:
        """The tensor, a view of the file; not to be written to.

        Raises:
            OSError: where the file cannot be mapped.
            ValueError: where it is shorter than its header said.
        """
        into = stored.begin % mmap.ALLOCATIONGRANULARITY
        length, start = into + stored.nbytes, stored.begin - into
        with file.open("rb") as opened:  # a copy for writers: torch warns of what is read-only
            region = mmap.mmap(opened.fileno(), length, access=mmap.ACCESS_COPY, offset=start)
        self._alive.add(region)
        flat = torch.frombuffer(
            region, dtype=_TYPES[stored.dtype], count=prod(stored.shape), offset=into
        )
        return flat.view(stored.shape)

    def release(self) -> None:
        """Give back the pages of all tensors; whoever reads on gets them from the file again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for region in self._alive:
                region.madvise(mmap.MADV_DONTNEED)
