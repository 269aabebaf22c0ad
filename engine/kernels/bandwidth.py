"""How fast this machine reads memory: the limit that decoding is compared with."""

from __future__ import annotations

import statistics
import time

import numpy as np

from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.processor import this_processor
from engine.kernels.cpu.quantized_tile import bytes_ahead
from engine.kernels.cpu.reading import read_memory
from engine.kernels.cpu.tables import NO_BARRIER, READ, STEP, fill
from engine.kernels.cpu.threads import Program, Threads

READ_BYTES = 256 << 20
"""More than the last-level cache of a desktop processor holds."""
ROUNDS = 7


class PlainReading:
    """Memory that is read for its own sake, by threads that compute other things besides.

    Args:
        threads: that read together.
    """

    def __init__(self, threads: Threads) -> None:
        self._memory = Arena().take(READ_BYTES)
        self._memory.view(np.int64)[:] = 1  # untouched pages would all be one page of zeros
        self._sums = np.zeros(threads.count * 16, np.int64)
        self._table = fill(READ, {
            "values": self._memory.ctypes.data, "count": READ_BYTES // 8,
            "sums": self._sums.ctypes.data, "ahead": bytes_ahead(this_processor()),
        })  # fmt: skip
        self._program = Program([(read_memory, self._table.ctypes.data, NO_BARRIER)])
        self._step, self._threads = np.zeros(1, STEP), threads

    def rate(self) -> float:
        """Read all of it: bytes a second."""
        begin = time.perf_counter()
        self._threads.run(self._program, self._step)
        return READ_BYTES / (time.perf_counter() - begin)


def measure_read_bandwidth(threads: int) -> float:
    """Bytes a second that ``threads`` threads read together; the median of some rounds."""
    pool = Threads(threads)
    try:
        reading = PlainReading(pool)
        return statistics.median(reading.rate() for _ in range(ROUNDS))
    finally:
        pool.close()
