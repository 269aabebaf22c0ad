"""The operation that measures how fast memory can be read: a sum over this thread's share."""

from __future__ import annotations

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import as_pointer, numbers
from engine.kernels.cpu.tables import READ


@operation
def read_memory(arguments: int, _state: int, thread: int, threads: int) -> None:
    """Add up this thread's share of ``count`` int64, so that nothing can be left unread."""
    a = carray(as_pointer(arguments), (1,), READ)[0]
    first, end = share(a.count, thread, threads)
    values = numbers(a.values, a.count)[first:end]
    total = np.int64(0)
    for i in range(values.size):
        total += values[i]
    numbers(a.sums, threads * 16)[thread * 16] = total
