"""Memory for packed weights and caches: aligned, in huge pages where the system has them."""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np

from engine.contract.faults import EngineError, FaultKind

ALIGNMENT = 128
SLAB = 32 << 20
HUGE_PAGE = 2 << 20


def _map(size: int) -> Any:
    """A zeroed uint8 array of ``size`` bytes whose pages the system gives on first touch."""
    try:
        if sys.platform == "win32":
            region = mmap.mmap(-1, size)
        else:  # private: shared memory gets no huge pages
            region = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise EngineError(FaultKind.OUT_OF_MEMORY, needed=size, free=0, device="cpu") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        region.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(region, np.uint8)


class Arena:
    """Hands out pieces of large mappings; a mapping lives as long as any of its pieces.

    Args:
        reserve: bytes of pieces that are known to come, and then lie in one mapping: large pieces
            with mappings of their own would each waste up to a huge page.
    """

    def __init__(self, reserve: int = 0) -> None:
        size = reserve + HUGE_PAGE
        self._slab = _aligned(_map(size), HUGE_PAGE) if reserve else np.zeros(0, np.uint8)
        self._used = 0

    def take(self, size: int) -> Any:
        """An aligned, zeroed uint8 array of ``size`` bytes."""
        size_aligned = -(-size // ALIGNMENT) * ALIGNMENT
        if self._used + size_aligned > self._slab.size:
            if size >= SLAB // 4:
                return _aligned(_map(size + HUGE_PAGE), HUGE_PAGE)[:size]
            self._slab = _aligned(_map(SLAB + HUGE_PAGE), HUGE_PAGE)
            self._used = 0
        piece = self._slab[self._used : self._used + size]
        self._used += size_aligned
        return piece


def _aligned(array: Any, boundary: int) -> Any:
    return array[-array.ctypes.data % boundary :]
