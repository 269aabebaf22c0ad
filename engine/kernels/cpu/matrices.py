"""Multiplying by tiles: what all operations with a weight are made of.

A ``MATRIX`` table names one of the two functions here or that of ``quantized_products.py``, all of
the same arguments: ``tiles`` whole tiles from ``tile`` times ``rows`` rows of x. ``start`` and
``y`` point at the first tile's outputs.
"""

from __future__ import annotations

from typing import Any

from numba import carray

from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.pointers import (
    as_pointer,
    call3,
    call11,
    call12,
    floats,
    inner,
)
from engine.kernels.cpu.tables import FLOAT, MATRIX, STEP, UNPACKED

LANES_BYTES = 4 * TILE_ROWS
FLOATS_AHEAD = 2048
"""Bytes between the float weights that are multiplied and those that are asked of memory."""
PIECE_BYTES = 16 * 1024
"""Of a tile that many rows pass over: with the rows' own activations it stays in the first-level
cache."""
CACHED_BYTES = 128 * 1024
"""Activations that stay in the second-level cache while the tiles of a weight pass over them."""
SPREAD_ROWS = 16
"""From so many rows on taking codes apart beforehand pays: it costs as much as twelve gain."""


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
def rows_at_once(m: Any, left: int) -> int:
    """How many of the rows that are left the widest function takes."""
    if left >= 8 and m.function8:
        return 8
    if left >= 4 and m.function4:
        return 4
    return 2 if left >= 2 else 1


@inner
def function_for(m: Any, count: int) -> Any:
    """The generated function for 1, 2, 4 or 8 rows."""
    if count == 8:
        return m.function8
    if count == 4:
        return m.function4
    return m.function2 if count == 2 else m.function1


@inner
def is_spread(m: Any, rows: int) -> Any:
    """Whether so many rows are multiplied by codes that are taken apart beforehand."""
    return m.spread != 0 and rows >= SPREAD_ROWS


@inner
def records_of_a_piece(m: Any, rows: int) -> Any:
    """Records of a tile that many rows pass over before the next ones come."""
    each = m.spread_bytes if is_spread(m, rows) else m.record_bytes
    return max(1, min(m.records, PIECE_BYTES // (2 * each if m.pair else each)))


@inner
def rows_of_a_pass(m: Any, rows: int) -> Any:
    """How many rows pass over all tiles before the next ones do."""
    if m.kind == UNPACKED:
        return rows
    piece = m.depth * 4
    if m.kind != FLOAT:
        piece = records_of_a_piece(m, rows) * m.record_step
    return max(SPREAD_ROWS, CACHED_BYTES // piece // SPREAD_ROWS * SPREAD_ROWS)


@inner
def float_tiles(
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
) -> None:
    """Float tiles at w times all rows."""
    row = 0
    while row < rows:
        count = rows_at_once(m, rows - row)
        call12(
            function_for(m, count), w, tiles, m.tile_bytes, m.depth, m.depth_step,
            x + row * x_step, x_step, start + row * start_step if start else 0, start_step,
            y + row * y_step, y_step, FLOATS_AHEAD,
        )  # fmt: skip
        row += count


@operation
def multiply_float(
    matrix: int,
    tile: int,
    tiles: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    _scratch: int,
) -> None:
    """Float products."""
    m = matrix_at(matrix)
    w = m.w + tile * m.tile_bytes
    float_tiles(m, w, tiles, rows, x, x_step, start, start_step, y, y_step)


@operation
def multiply_unpacked(
    matrix: int,
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
    """Float products, each quantized tile made float32 in the thread's memory first."""
    m = matrix_at(matrix)
    for number in range(tiles):
        call3(m.unpack, m.w + (tile + number) * m.tile_bytes, m.records, scratch)
        along = number * LANES_BYTES
        begin = start + along if start else 0
        float_tiles(m, scratch, 1, rows, x, x_step, begin, start_step, y + along, y_step)


@inner
def multiply_last(
    multiply: int,
    matrix: int,
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

    ``multiply`` is the function that does it; ``start`` and ``y`` point at that tile's outputs.
    """
    m = matrix_at(matrix)
    tile = m.outputs // TILE_ROWS
    lanes = m.outputs - tile * TILE_ROWS
    padded = floats(scratch, TILE_ROWS)
    for row in range(rows):
        call11(
            multiply, matrix, tile, 1, 1, x + row * x_step, 0, 0, 0, scratch, 0,
            scratch + LANES_BYTES,
        )  # fmt: skip
        out = floats(y + row * y_step, lanes)
        if start:
            given = floats(start + row * start_step, lanes)
            for lane in range(lanes):
                out[lane] = given[lane] + padded[lane]
        else:
            for lane in range(lanes):
                out[lane] = padded[lane]
