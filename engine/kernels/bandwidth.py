"""How fast this machine reads memory: the limit that decoding is compared with."""

from __future__ import annotations

import statistics
import time

import numpy as np

from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.processor import this_processor
from engine.kernels.cpu.quantized_tile import bytes_ahead
from engine.kernels.cpu.reading import read_memory
from engine.kernels.cpu.tables import NO_BARRIER, READ, STEP
from engine.kernels.cpu.threads import Program, Threads

READ_BYTES = 256 << 20
"""More than the last-level cache of a desktop processor holds."""
ROUNDS = 7


def measure_read_bandwidth(threads: int) -> float:
    """Bytes a second that ``threads`` threads read together; the median of some rounds."""
    memory = Arena().take(READ_BYTES)
    memory.view(np.int64)[:] = 1  # untouched pages would all be one page of zeros
    sums = np.zeros(threads * 16, np.int64)
    table = np.zeros(1, READ)
    table["values"], table["count"] = memory.ctypes.data, READ_BYTES // 8
    table["sums"], table["ahead"] = sums.ctypes.data, bytes_ahead(this_processor())
    program, step = Program([(read_memory, table.ctypes.data, NO_BARRIER)]), np.zeros(1, STEP)
    pool = Threads(threads)
    rates = []
    try:
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            pool.run(program, step)
            rates.append(READ_BYTES / (time.perf_counter() - begin))
    finally:
        pool.close()
    return statistics.median(rates)
