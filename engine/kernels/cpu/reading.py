"""The operation that measures how fast memory can be read: a sum over this thread's share.

It asks for memory ahead, as the products with weights do; else it would be slower than they.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import as_pointer, numbers, prefetch
from engine.kernels.cpu.tables import READ

LINE = 8
"""int64 of a cache line."""
AHEAD = 3072


@operation
def read_memory(arguments: int, _state: int, thread: int, threads: int) -> None:
    """Add up this thread's share of ``count`` int64 (whole lines), so that all are read."""
    a = carray(as_pointer(arguments), (1,), READ)[0]
    first, end = share(a.count, thread, threads)
    total = np.int64(0)
    for line in range(first // LINE, end // LINE):
        at = a.values + line * LINE * 8
        prefetch(at + AHEAD)
        values = numbers(at, LINE)
        for i in range(LINE):
            total += values[i]
    numbers(a.sums, threads * 16)[thread * 16] = total
