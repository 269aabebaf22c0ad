"""Operations with a weight: prepare rows, multiply them, gate them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import activate, share
from engine.kernels.cpu.claims import claim, next_part
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.fine_matrices import multiplying
from engine.kernels.cpu.layout import BLOCK, BYTES, TILE_ROWS, WORDS
from engine.kernels.cpu.matrices import (
    LANES_BYTES,
    matrix_at,
    multiply_last,
    rows_of_a_pass,
    step_at,
    thread_scratch,
)
from engine.kernels.cpu.norms import normalize
from engine.kernels.cpu.pointers import (
    as_pointer,
    bits_to_float,
    call3,
    call11,
    floats,
    inner,
    numbers,
)
from engine.kernels.cpu.tables import GATED, PREPARE, PRIVATE_ROWS, PRODUCT

BYTES_BLOCK, WORDS_BLOCK = BYTES.block_bytes, WORDS.block_bytes
GATED_ROWS = 64
"""Rows that a feed-forward gates at a time, while a unit's tiles stay in the cache."""
STREAMED_UNITS = 32
"""Few rows are gated in so many more units at a time: gate and up are two streams then that change
rarely."""
ITEM_WORK = 2_500_000
"""Multiplications that are claimed at a time: some 30 microseconds of work."""
ITEMS_EACH = 8
"""Items that there are at least for each thread, where there are tiles enough."""
LEAST_BYTES = 32 * 1024
"""Of a weight that a thread takes at a time where rows are few: about a microsecond of reading."""
UNIT = 2 * TILE_ROWS
"""Rows of a feed-forward that are gated together: a block of the next product."""


@inner
def quantize(
    function: int, x: int, columns: int, padded: int, out: int, block_bytes: int, scratch: int
) -> None:
    """A row of float32 as blocks of integers; what the row lacks of whole blocks is 0."""
    whole = columns // BLOCK
    call3(function, x, whole, out)
    if padded > whole:
        rest = floats(scratch, (padded - whole) * BLOCK)
        given = floats(x, columns)
        for i in range(rest.size):
            at = whole * BLOCK + i
            rest[i] = given[at] if at < columns else np.float32(0)
        call3(function, scratch, padded - whole, out + whole * block_bytes)


@operation
def prepare(arguments: int, state: int, thread: int, threads: int) -> None:
    """Normalize and quantize rows: every thread all rows if they are few, else its share."""
    a = carray(as_pointer(arguments), (1,), PREPARE)[0]
    step = step_at(state)
    scratch = thread_scratch(step, thread)
    rows = step.wanted_count if a.selected else step.rows
    first, end, mine = 0, rows, thread
    if rows > PRIVATE_ROWS:
        first, end = share(rows, thread, threads)
        mine = 0
    out, values = a.out + mine * a.private, a.floats + mine * a.floats_private
    words = a.words + mine * a.words_private
    epsilon = bits_to_float(np.int32(a.epsilon_bits))
    chosen = numbers(step.wanted, step.wanted_count)
    for row in range(first, end):
        x = a.x + (chosen[row] if a.selected else row) * a.x_step
        if a.norm or a.floats:
            target = values + row * a.floats_step if a.floats else scratch
            normalize(x, a.norm, a.weight, a.bias, target, a.columns, epsilon)
            x = target
        rest = scratch + a.columns * 4
        if a.quantize:
            at = out + row * a.out_step
            quantize(a.quantize, x, a.columns, a.padded, at, a.block_bytes, rest)
        if a.quantize_words:
            at = words + row * a.words_step
            quantize(a.quantize_words, x, a.columns, a.padded, at, WORDS_BLOCK, rest)


@inner
def tiles_of_an_item(m: Any, rows: int, threads: int) -> Any:
    """Tiles that a thread claims together: enough work to be worth it, and some for everybody."""
    enough = ITEM_WORK // (rows * m.depth * TILE_ROWS)
    tiles = max(1, min(enough, m.tiles // (ITEMS_EACH * threads)))
    return (tiles + 1) // 2 * 2 if m.pair else tiles


@inner
def multiply_claimed(
    multiply: int,
    arguments: int,
    turn: int,
    rows: int,
    base: int,
    y_step: int,
    scratch: int,
    threads: int,
) -> None:
    """A weight times many rows: the whole tiles that this thread gets hold of."""
    a = carray(as_pointer(arguments), (1,), PRODUCT)[0]
    m = matrix_at(a.matrix)
    whole, size = m.outputs // TILE_ROWS, rows_of_a_pass(m, rows)
    tiles = tiles_of_an_item(m, min(rows, size), threads)
    groups = (whole + tiles - 1) // tiles
    items = (rows + size - 1) // size * groups
    item = claim(arguments, turn)
    while item < items:
        row, tile = item // groups * size, item % groups * tiles
        along = tile * LANES_BYTES
        call11(
            multiply, a.matrix, tile, min(tiles, whole - tile), min(size, rows - row),
            a.x + row * a.x_step, a.x_step,
            a.start + along + row * a.start_step if a.start else 0, a.start_step,
            base + along + row * y_step, y_step, scratch,
        )  # fmt: skip
        item = claim(arguments, turn)


@inner
def multiply_tiles(a: Any, m: Any, multiply: int, first: int, end: int, given: Any) -> None:
    """Tiles of a weight times the prepared rows: (rows, x, base, y_step, scratch)."""
    rows, x, base, y_step, scratch = given
    whole = min(end, m.outputs // TILE_ROWS)
    if whole > first:
        along = first * LANES_BYTES
        call11(
            multiply, a.matrix, first, whole - first, rows, x, a.x_step,
            a.start + along if a.start else 0, a.start_step, base + along, y_step, scratch,
        )  # fmt: skip
    if end > whole:
        along = whole * LANES_BYTES
        start = a.start + along if a.start else 0
        y = base + along
        multiply_last(
            multiply, a.matrix, rows, x, a.x_step, start, a.start_step, y, y_step, scratch
        )


@operation
def product(arguments: int, state: int, thread: int, threads: int) -> None:
    """A weight times the prepared rows: parts of its tiles, or with many rows items of both."""
    a = carray(as_pointer(arguments), (1,), PRODUCT)[0]
    m, step = matrix_at(a.matrix), step_at(state)
    rows = step.wanted_count if a.selected else step.rows
    multiply = multiplying(m, a.selected)
    scratch = thread_scratch(step, thread)
    base, y_step = a.y, a.y_step
    if a.to_logits:
        base, y_step = step.logits + a.y, step.logits_step
    if rows > PRIVATE_ROWS:
        multiply_claimed(multiply, arguments, step.turn, rows, base, y_step, scratch, threads)
        if thread == threads - 1 and m.tiles * TILE_ROWS > m.outputs:
            given = rows, a.x, base, y_step, scratch
            multiply_tiles(a, m, multiply, m.tiles - 1, m.tiles, given)
    elif rows:
        given = rows, a.x + thread * a.private, base, y_step, scratch
        least = max(1, LEAST_BYTES // m.tile_bytes)
        while True:
            first, end = next_part(step.queues, thread, threads, m.tiles, least)
            if first == end:
                return
            multiply_tiles(a, m, multiply, first, end, given)


@inner
def units_at_once(rows: int) -> int:
    """Units that are gated together."""
    return STREAMED_UNITS // rows if rows <= PRIVATE_ROWS else 1


@inner
def gate_units(
    matrix: int,
    tile: int,
    units: int,
    bias: int,
    count: int,
    x: int,
    x_step: int,
    y: int,
    scratch: int,
) -> None:
    """The tiles of some units times ``count`` rows: [row][32 a unit]."""
    m = matrix_at(matrix)
    each = 2 * units if count <= PRIVATE_ROWS or m.pair else 1
    for first in range(0, 2 * units, each):
        along = first * LANES_BYTES
        call11(
            m.multiply, matrix, tile + first, each, count, x, x_step,
            bias + along if bias else 0, 0, y + along, units * UNIT * 4, scratch,
        )  # fmt: skip


@inner
def multiply_in(x: Any, y: Any) -> None:
    """``x *= y``."""
    for i in range(x.size):
        x[i] *= y[i]


@inner
def hand_on(a: Any, unit: int, units: int, row: int, count: int, gates: int) -> None:
    """Give ``count`` gated rows of some units, [row][32 a unit], to the next product."""
    wide = units * UNIT
    for i in range(count):
        mine = gates + i * wide * 4
        if a.floats:
            out = floats(a.floats + (row + i) * a.floats_step + unit * UNIT * 4, wide)
            given = floats(mine, wide)
            for k in range(given.size):
                out[k] = given[k]
        if a.quantize:
            call3(a.quantize, mine, units, a.out + (row + i) * a.out_step + unit * BYTES_BLOCK)
        if a.quantize_words:
            target = a.words + (row + i) * a.words_step + unit * WORDS_BLOCK
            call3(a.quantize_words, mine, units, target)


@inner
def gate(
    a: Any,
    x: int,
    up_x: int,
    row: int,
    count: int,
    unit: int,
    units: int,
    room: int,
) -> None:
    """The first half of a feed-forward, for some rows and units of 32 outputs."""
    gates = room
    ups = gates + GATED_ROWS * UNIT * 4
    rest = ups + GATED_ROWS * UNIT * 4
    tile, along = 2 * unit, unit * UNIT * 4
    bias = a.gate_bias + along if a.gate_bias else 0
    at = x + row * a.x_step
    gate_units(a.gate, a.gate_tile + tile, units, bias, count, at, a.x_step, gates, rest)
    activated = floats(gates, count * units * UNIT)
    activate(activated, a.activation)
    if a.up:
        bias = a.up_bias + along if a.up_bias else 0
        at = up_x + row * a.up_x_step
        gate_units(a.up, a.up_tile + tile, units, bias, count, at, a.up_x_step, ups, rest)
        multiply_in(activated, floats(ups, count * units * UNIT))
    hand_on(a, unit, units, row, count, gates)


@operation
def gated(arguments: int, state: int, thread: int, threads: int) -> None:
    """The first half of a feed-forward: parts of its units, or with many rows items of both."""
    a = carray(as_pointer(arguments), (1,), GATED)[0]
    step = step_at(state)
    room = thread_scratch(step, thread)
    if step.rows <= PRIVATE_ROWS:
        x, up_x = a.x + thread * a.private, a.up_x + thread * a.up_private
        most = units_at_once(step.rows)
        while True:
            first, end = next_part(step.queues, thread, threads, a.units, 1)
            if first == end:
                return
            for unit in range(first, end, most):
                gate(a, x, up_x, 0, step.rows, unit, min(most, end - unit), room)
    most = max(1, GATED_ROWS // step.rows)
    groups = (a.units + most - 1) // most
    items = (step.rows + GATED_ROWS - 1) // GATED_ROWS * groups
    item = claim(arguments, step.turn)
    while item < items:
        row, unit = item // groups * GATED_ROWS, item % groups * most
        count = min(GATED_ROWS, step.rows - row)
        gate(a, a.x, a.up_x, row, count, unit, min(most, a.units - unit), room)
        item = claim(arguments, step.turn)
