"""Operations that normalize rows."""

from __future__ import annotations

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, floats, inner
from engine.kernels.cpu.tables import NORM, STEP


@inner
def normalize(x_at: int, weight_at: int, y_at: int, columns: int, epsilon: float) -> None:
    """``x / sqrt(mean(x²) + eps) * weight`` (RMSNorm, eq. 4); y may be x."""
    x, weight, y = floats(x_at, columns), floats(weight_at, columns), floats(y_at, columns)
    total = np.float32(0)
    for i in range(columns):
        total += x[i] * x[i]
    factor = np.float32(1) / np.sqrt(total / np.float32(columns) + epsilon)
    for i in range(columns):
        y[i] = x[i] * factor * weight[i]


@operation
def rms_norm(arguments: int, state: int, thread: int, threads: int) -> None:
    """Normalize this thread's share of the rows."""
    a = carray(as_pointer(arguments), (1,), NORM)[0]
    rows = carray(as_pointer(state), (1,), STEP)[0].rows
    first, end = share(rows, thread, threads)
    epsilon = bits_to_float(np.int32(a.epsilon_bits))
    for row in range(first, end):
        normalize(a.x + row * a.x_step, a.weight, a.y + row * a.y_step, a.columns, epsilon)
