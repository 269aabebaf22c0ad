"""Multiplying by tiles with activations of two digits, for the rows that have them."""

from __future__ import annotations

from typing import Any

from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import LANES_BYTES, matrix_at
from engine.kernels.cpu.pointers import call9, inner


@inner
def multiplying(m: Any, selected: int) -> Any:
    """The function that multiplies rows by a matrix: those ``selected`` with two digits."""
    return m.fine if selected and m.fine else m.multiply


@inner
def fine_rows_at_once(m: Any, left: int) -> int:
    """How many of the rows that are left the widest function takes."""
    if left >= 8 and m.fine8:
        return 8
    if left >= 4 and m.fine4:
        return 4
    return 2 if left >= 2 and m.fine2 else 1


@inner
def fine_function(m: Any, count: int) -> Any:
    """The generated function for 1, 2, 4 or 8 rows."""
    if count == 8:
        return m.fine8
    if count == 4:
        return m.fine4
    return m.fine2 if count == 2 else m.fine1


@operation
def multiply_fine(
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
    """Integer products with two digits; where rows need several passes, tile by tile."""
    m = matrix_at(matrix)
    w = m.w + tile * m.tile_bytes
    each = tiles if fine_rows_at_once(m, rows) == rows else 1
    for number in range(0, tiles, each):
        along, row = number * LANES_BYTES, 0
        while row < rows:
            count = fine_rows_at_once(m, rows - row)
            call9(
                fine_function(m, count), w + number * m.tile_bytes, each, m.records,
                x + row * x_step, x_step, start + along + row * start_step if start else 0,
                start_step, y + along + row * y_step, y_step,
            )  # fmt: skip
            row += count
