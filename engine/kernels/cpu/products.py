"""Operations with a weight: prepare rows, multiply them, gate them, look rows up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import activate, share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import ACTIVATION_BYTES, BLOCK, TILE_ROWS
from engine.kernels.cpu.matrices import (
    LANES_BYTES,
    matrix_at,
    multiply,
    multiply_last,
    step_at,
    thread_scratch,
)
from engine.kernels.cpu.norms import normalize
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
from engine.kernels.cpu.tables import EMBED, GATED, PREPARE, PRIVATE_ROWS, PRODUCT, UNPACKED

CACHED_BYTES = 128 * 1024
"""Activations that stay in the second-level cache while the tiles of a weight pass over them."""
UNIT = 2 * TILE_ROWS
"""Rows of a feed-forward that are gated together: a block of the next product."""


@inner
def quantize(function: int, x: int, columns: int, padded: int, out: int, scratch: int) -> None:
    """A row of float32 as int8 blocks; what the row lacks of whole blocks is 0."""
    whole = columns // BLOCK
    call3(function, x, whole, out)
    if padded > whole:
        rest = floats(scratch, (padded - whole) * BLOCK)
        given = floats(x, columns)
        for i in range(rest.size):
            at = whole * BLOCK + i
            rest[i] = given[at] if at < columns else np.float32(0)
        call3(function, scratch, padded - whole, out + whole * ACTIVATION_BYTES)


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
    epsilon = bits_to_float(np.int32(a.epsilon_bits))
    chosen = numbers(step.wanted, step.wanted_count)
    for row in range(first, end):
        x = a.x + (chosen[row] if a.selected else row) * a.x_step
        if a.norm or a.floats:
            target = values + row * a.floats_step if a.floats else scratch
            normalize(x, a.norm, a.weight, a.bias, target, a.columns, epsilon)
            x = target
        if a.quantize:
            rest = scratch + a.columns * 4
            quantize(a.quantize, x, a.columns, a.padded, out + row * a.out_step, rest)


@operation
def product(arguments: int, state: int, thread: int, threads: int) -> None:
    """A weight times the prepared rows, for this thread's tiles."""
    a = carray(as_pointer(arguments), (1,), PRODUCT)[0]
    m, step = matrix_at(a.matrix), step_at(state)
    rows = step.wanted_count if a.selected else step.rows
    scratch = thread_scratch(step, thread)
    first, end = share(m.tiles, thread, threads)
    whole = min(end, m.outputs // TILE_ROWS)
    x = a.x + thread * a.private if rows <= PRIVATE_ROWS else a.x
    base, y_step = a.y, a.y_step
    if a.to_logits:
        base, y_step = step.logits + a.y, step.logits_step
    size, group = max(1, rows), max(1, whole - first)
    if rows > PRIVATE_ROWS and m.kind != UNPACKED:
        size, group = max(8, CACHED_BYTES // a.x_step // 8 * 8), 1
    for row in range(0, rows, size):
        count = min(size, rows - row)
        for tile in range(first, whole, group):
            along = tile * LANES_BYTES
            start = a.start + along + row * a.start_step if a.start else 0
            multiply(
                m, tile, group, count, x + row * a.x_step, a.x_step, start, a.start_step,
                base + along + row * y_step, y_step, scratch,
            )  # fmt: skip
    if end > whole and end > first:
        along = whole * LANES_BYTES
        start = a.start + along if a.start else 0
        multiply_last(m, rows, x, a.x_step, start, a.start_step, base + along, y_step, scratch)


@inner
def gate_rows(a: Any, unit: int, row: int, count: int, gates: int, ups: int) -> None:
    """Gate ``count`` rows of one unit, [row][32] each, and hand them to the next product."""
    for i in range(count):
        gate = floats(gates + i * UNIT * 4, UNIT)
        if a.up:
            up = floats(ups + i * UNIT * 4, UNIT)
            for k in range(UNIT):
                gate[k] = activate(gate[k], a.activation) * up[k]
        else:
            for k in range(UNIT):
                gate[k] = activate(gate[k], a.activation)
        if a.floats:
            out = floats(a.floats + (row + i) * a.floats_step + unit * UNIT * 4, UNIT)
            for k in range(UNIT):
                out[k] = gate[k]
        if a.quantize:
            target = a.out + (row + i) * a.out_step + unit * ACTIVATION_BYTES
            call3(a.quantize, gates + i * UNIT * 4, 1, target)


@operation
def gated(arguments: int, state: int, thread: int, threads: int) -> None:
    """The first half of a feed-forward, for this thread's units of 32 rows."""
    a = carray(as_pointer(arguments), (1,), GATED)[0]
    step = step_at(state)
    gates = thread_scratch(step, thread)
    ups = gates + 8 * UNIT * 4
    rest = ups + 8 * UNIT * 4
    gate, up = matrix_at(a.gate), matrix_at(a.up if a.up else a.gate)
    few = step.rows <= PRIVATE_ROWS
    x = a.x + thread * a.private if few else a.x
    size = step.rows if few else max(8, CACHED_BYTES // a.x_step // 8 * 8)
    first, end = share(a.units, thread, threads)
    for begin in range(0, step.rows, size):
        for unit in range(first, end):
            bias = a.gate_bias + unit * UNIT * 4 if a.gate_bias else 0
            up_bias = a.up_bias + unit * UNIT * 4 if a.up_bias else 0
            for row in range(begin, min(step.rows, begin + size), 8):
                count = min(8, step.rows - row)
                at = x + row * a.x_step
                tile = a.gate_tile + 2 * unit
                multiply(gate, tile, 2, count, at, a.x_step, bias, 0, gates, UNIT * 4, rest)
                if a.up:
                    tile = a.up_tile + 2 * unit
                    multiply(up, tile, 2, count, at, a.x_step, up_bias, 0, ups, UNIT * 4, rest)
                gate_rows(a, unit, row, count, gates, ups)


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
