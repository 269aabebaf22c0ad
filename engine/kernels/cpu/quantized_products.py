"""Multiplying by quantized tiles: few rows stream them by, many pass over pieces of them."""

from __future__ import annotations

from typing import Any

from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import (
    LANES_BYTES,
    function_for,
    is_spread,
    matrix_at,
    records_of_a_piece,
    rows_at_once,
    rows_of_a_pass,
)
from engine.kernels.cpu.pointers import call3, call9, call10, inner


@inner
def quantized_tiles(
    m: Any,
    w: int,
    tiles: int,
    records: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
) -> None:
    """Integer products of tiles at w, or of some records of one, with all rows."""
    row = 0
    while row < rows:
        count = rows_at_once(m, rows - row)
        call9(
            function_for(m, count), w, tiles, records, x + row * x_step, x_step,
            start + row * start_step if start else 0, start_step, y + row * y_step, y_step,
        )  # fmt: skip
        row += count


@inner
def spread_piece(
    m: Any,
    w: int,
    records: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    scratch: int,
) -> Any:
    """Multiply some records of a tile, spread, with whole groups of rows: how many rows that is."""
    call3(m.spread, w, records, scratch)
    whole = rows // m.spread_rows * m.spread_rows
    for row in range(0, whole, m.spread_rows):
        call9(
            m.spread_product, scratch, 1, records, x + row * x_step, x_step,
            start + row * start_step if start else 0, start_step, y + row * y_step, y_step,
        )  # fmt: skip
    return whole


@inner
def pair_piece(
    m: Any,
    w: int,
    ahead: int,
    records: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
) -> Any:
    """Multiply some records of two tiles with whole groups of rows: how many rows that is."""
    whole = rows // m.pair_rows * m.pair_rows
    for row in range(0, whole, m.pair_rows):
        call10(
            m.pair, w, m.tile_bytes, ahead, records, x + row * x_step, x_step,
            start + row * start_step if start else 0, start_step, y + row * y_step, y_step,
        )  # fmt: skip
    return whole


@inner
def multiply_piece(
    m: Any,
    w: int,
    tiles: int,
    ahead: int,
    records: int,
    rows: int,
    x: int,
    x_step: int,
    start: int,
    start_step: int,
    y: int,
    y_step: int,
    scratch: int,
) -> None:
    """Some records of one tile, or of two side by side, times many rows."""
    done = 0
    if tiles == 2:
        done = pair_piece(
            m, w, ahead, records, rows, x, x_step, start, start_step, y, y_step
        )  # fmt: skip
    elif is_spread(m, rows):
        done = spread_piece(
            m, w, records, rows, x, x_step, start, start_step, y, y_step, scratch
        )  # fmt: skip
    for tile in range(tiles if done < rows else 0):
        along = tile * LANES_BYTES
        quantized_tiles(
            m, w + tile * m.tile_bytes, 1, records, rows - done, x + done * x_step, x_step,
            start + along + done * start_step if start else 0, start_step,
            y + along + done * y_step, y_step,
        )  # fmt: skip


@operation
def multiply_quantized(
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
    """Integer products.

    Many rows pass over pieces of tiles that stay in the first-level cache, as many rows at a time
    as keep those columns of theirs in the second-level cache until the last tile.
    """
    m = matrix_at(matrix)
    w = m.w + tile * m.tile_bytes
    if rows <= 8:
        quantized_tiles(m, w, tiles, m.records, rows, x, x_step, start, start_step, y, y_step)
        return
    piece, many = records_of_a_piece(m, rows), rows_of_a_pass(m, rows)
    for row in range(0, rows, many):
        count = min(many, rows - row)
        for first in range(0, m.records, piece):
            records = min(piece, m.records - first)
            begin, begin_step = (start, start_step) if first == 0 else (y, y_step)
            at = x + row * x_step + first * m.record_step
            given, number = w + first * m.record_bytes, 0
            while number < tiles:
                width = 2 if m.pair and number + 1 < tiles else 1
                along = number * LANES_BYTES
                ahead = width * m.tile_bytes
                if number + width >= tiles:
                    ahead = piece * m.record_bytes - number * m.tile_bytes
                multiply_piece(
                    m, given + number * m.tile_bytes, width, ahead, records, count, at, x_step,
                    begin + row * begin_step + along if begin else 0, begin_step,
                    y + row * y_step + along, y_step, scratch,
                )  # fmt: skip
                number += width
