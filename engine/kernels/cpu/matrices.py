"""Multiplying by tiles: what all operations with a weight are made of."""

from __future__ import annotations

from typing import Any

from numba import carray

from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.pointers import as_pointer, call3, call9, call11, floats, inner
from engine.kernels.cpu.tables import MATRIX, QUANTIZED, STEP, UNPACKED

LANES_BYTES = 4 * TILE_ROWS


@inner
def matrix_at(address: int) -> Any:
    """The ``MATRIX`` table at an address."""
    return carray(as_pointer(address), (1,), MATRIX)[0]


@inner
def step_at(address: int) -> Any:
    """The ``STEP`` table at an address."""
    return carray(as_pointer(address), (1,), STEP)[0]


@inner
def thread_scratch(step: Any, thread: int) -> Any:
    """This thread's own memory."""
    return step.scratch + thread * step.scratch_step


@inner
def multiply_rows(
    m: Any,
    w: int,
    tiles: int,
    count: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
) -> None:
    """``count`` rows of x (1, 2, 4 or 8) times ``tiles`` neighbouring tiles at w."""
    if m.kind == QUANTIZED:
        function = m.function1
        if count == 8:
            function = m.function8
        elif count == 4:
            function = m.function4
        elif count == 2:
            function = m.function2
        call9(function, w, tiles, m.records, x, x_step, start, start_step, y, y_step)
    else:
        function = m.float1
        if count == 4:
            function = m.float4
        elif count == 2:
            function = m.float2
        call11(
            function, w, tiles, m.tile_bytes, m.depth, m.depth_step, x, x_step,
            start, start_step, y, y_step,
        )  # fmt: skip


@inner
def rows_at_once(m: Any, left: int) -> int:
    """How many of the rows that are left the widest function takes."""
    quantized = m.kind == QUANTIZED
    if left >= 8 and quantized and m.function8:
        return 8
    if left >= 4 and (m.function4 or not quantized):
        return 4
    return 2 if left >= 2 else 1


@inner
def multiply(
    m: Any,
    tile: int,
    tiles: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    scratch: int,
) -> None:
    """All rows of x times whole tiles; ``start`` and ``y`` point at the first tile's outputs."""
    w = m.w + tile * m.tile_bytes
    if m.kind == UNPACKED:
        multiply_unpacked(m, w, tiles, rows, x, x_step, start, start_step, y, y_step, scratch)
        return
    row = 0
    while row < rows:
        count = rows_at_once(m, rows - row)
        begin = start + row * start_step if start else 0
        multiply_rows(
            m, w, tiles, count, x + row * x_step, x_step, begin, start_step,
            y + row * y_step, y_step,
        )  # fmt: skip
        row += count


@inner
def multiply_unpacked(
    m: Any,
    w: int,
    tiles: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    scratch: int,
) -> None:
    """As ``multiply``, each tile made float32 in the thread's memory first."""
    for tile in range(tiles):
        call3(m.unpack, w + tile * m.tile_bytes, m.records, scratch)
        row = 0
        while row < rows:
            count = rows_at_once(m, rows - row)
            begin = start + tile * LANES_BYTES + row * start_step if start else 0
            multiply_rows(
                m, scratch, 1, count, x + row * x_step, x_step, begin, start_step,
                y + tile * LANES_BYTES + row * y_step, y_step,
            )  # fmt: skip
            row += count


@inner
def multiply_last(
    m: Any,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    scratch: int,
) -> None:
    """The last tile of a weight that has fewer than its 16 rows, by way of the thread's memory.

    ``start`` and ``y`` point at that tile's outputs.
    """
    tile = m.outputs // TILE_ROWS
    lanes = m.outputs - tile * TILE_ROWS
    padded = floats(scratch, TILE_ROWS)
    for row in range(rows):
        at = x + row * x_step
        multiply(m, tile, 1, 1, at, 0, 0, 0, scratch, 0, scratch + LANES_BYTES)
        out = floats(y + row * y_step, lanes)
        if start:
            given = floats(start + row * start_step, lanes)
            for lane in range(lanes):
                out[lane] = given[lane] + padded[lane]
        else:
            for lane in range(lanes):
                out[lane] = padded[lane]
