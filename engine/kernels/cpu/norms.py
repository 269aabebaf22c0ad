"""Norms of rows, and the sums that norms lead to."""

from __future__ import annotations

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import step_at, thread_scratch
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, floats, inner
from engine.kernels.cpu.tables import NO_NORM, NORM, PRIVATE_ROWS, RESIDUAL, RMS_NORM


@inner
def normalize(
    x_at: int, kind: int, weight_at: int, bias_at: int, y_at: int, columns: int, epsilon: float
) -> None:
    """RMS norm ``x / sqrt(mean(x²) + eps) * weight`` or layer norm of one row; y may be x."""
    x, weight, y = floats(x_at, columns), floats(weight_at, columns), floats(y_at, columns)
    if kind == NO_NORM:
        for i in range(columns):
            y[i] = x[i]
        return
    mean, total = np.float32(0), np.float32(0)
    if kind != RMS_NORM:
        for i in range(columns):
            mean += x[i]
        mean /= np.float32(columns)
    for i in range(columns):
        total += (x[i] - mean) * (x[i] - mean)
    factor = np.float32(1) / np.sqrt(total / np.float32(columns) + epsilon)
    for i in range(columns):
        y[i] = (x[i] - mean) * factor * weight[i]
    if bias_at:
        bias = floats(bias_at, columns)
        for i in range(columns):
            y[i] += bias[i]


@operation
def norm_rows(arguments: int, state: int, thread: int, threads: int) -> None:
    """Normalize this thread's share of the rows."""
    a = carray(as_pointer(arguments), (1,), NORM)[0]
    first, end = share(step_at(state).rows, thread, threads)
    epsilon = bits_to_float(np.int32(a.epsilon_bits))
    for row in range(first, end):
        x, y = a.x + row * a.x_step, a.y + row * a.y_step
        normalize(x, a.norm, a.weight, a.bias, y, a.columns, epsilon)


@operation
def residual(arguments: int, state: int, thread: int, threads: int) -> None:
    """``x += scale * norm(y)``: few rows by columns, many by rows.

    By columns, every thread normalizes all of y into its own memory and adds its share.
    """
    a = carray(as_pointer(arguments), (1,), RESIDUAL)[0]
    step = step_at(state)
    epsilon = bits_to_float(np.int32(a.epsilon_bits))
    scale = bits_to_float(np.int32(a.scale_bits))
    scratch = thread_scratch(step, thread)
    rows, columns = (0, step.rows), share(a.columns, thread, threads)
    if step.rows > PRIVATE_ROWS:
        rows, columns = share(step.rows, thread, threads), (0, a.columns)
    added = floats(scratch, a.columns)
    for row in range(rows[0], rows[1]):
        y = a.y + row * a.y_step
        normalize(y, a.norm, a.weight, a.bias, scratch, a.columns, epsilon)
        x = floats(a.x + row * a.x_step, a.columns)
        for i in range(columns[0], columns[1]):
            x[i] += scale * added[i]
