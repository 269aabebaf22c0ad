"""The operation that looks rows of a packed weight up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrices import step_at, thread_scratch
from engine.kernels.cpu.pointers import (
    as_pointer,
    bits_to_float,
    call3,
    floats,
    half_to_float,
    halves,
    inner,
    numbers,
)
from engine.kernels.cpu.tables import EMBED


@inner
def embed_row(a: Any, number: int, y: Any, scratch: int) -> None:
    """One row of a weight as float32."""
    tile = a.w + number // TILE_ROWS * a.tile_bytes
    lane = number % TILE_ROWS
    if a.element <= 1:
        if a.element == 0:
            call3(a.unpack, tile, a.records, scratch)
            tile = scratch
        given = floats(tile, a.columns * TILE_ROWS)
        for k in range(a.columns):
            y[k] = given[k * TILE_ROWS + lane]
        return
    given2 = halves(tile, a.columns * TILE_ROWS)
    for k in range(a.columns):
        bits = given2[k * TILE_ROWS + lane]
        if a.element == 2:
            y[k] = half_to_float(bits)
        else:
            y[k] = bits_to_float(np.int32(np.uint32(bits) << np.uint32(16)))


@operation
def embed(arguments: int, state: int, thread: int, threads: int) -> None:
    """Rows of a packed weight, times a factor, for this thread's share of the ids."""
    a = carray(as_pointer(arguments), (1,), EMBED)[0]
    step = step_at(state)
    first, end = share(step.rows, thread, threads)
    ids = numbers(step.ids, step.rows)
    scale = bits_to_float(np.int32(a.scale_bits))
    for row in range(first, end):
        y = floats(a.y + row * a.y_step, a.columns)
        embed_row(a, ids[row], y, thread_scratch(step, thread))
        for k in range(a.columns):
            y[k] *= scale
