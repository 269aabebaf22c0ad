"""Experts of a mixture, all in two operations: no expert waits for another.

The first shares units of gated rows of all chosen experts among the threads, by the rows that each
has; the second shares the outputs, so that one thread adds all experts to a column, always in the
same order: a token's sum does not depend on what runs beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import activate, silu
from engine.kernels.cpu.claims import next_part
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrices import (
    CACHED_BYTES,
    LANES_BYTES,
    matrix_at,
    step_at,
    thread_scratch,
)
from engine.kernels.cpu.pointers import (
    as_pointer,
    bits_to_float,
    bytes_at,
    call11,
    floats,
    inner,
    numbers,
)
from engine.kernels.cpu.products import (
    GATED_ROWS,
    UNIT,
    gate_units,
    hand_on,
    multiply_in,
    units_at_once,
)
from engine.kernels.cpu.tables import CLAMPED, EXPERT, MIXTURE, PRIVATE_ROWS

READING = 4
"""A unit costs as much as so many rows at least: its weights must be read for the first one."""
SUMMED_ROWS = 64
"""Rows that one product of the second half has at most."""
FEW_ROWS = 4
"""Up to so many rows pass over ``FEW_TILES`` tiles at once: the weights stream by."""
FEW_TILES = 32
LEAST_TILES = 4
"""Of outputs that a thread takes together at least: every expert's weights for them are read."""
SUMS_BYTES = FEW_ROWS * FEW_TILES * LANES_BYTES
"""Room for the products of the second half: 64 rows of one tile need no more."""


@inner
def experts_of(a: Any) -> Any:
    """The ``EXPERT`` rows of a mixture."""
    return carray(as_pointer(a.experts), (a.count,), EXPERT)


@inner
def gather(e: Any, x: int, order: Any, scratch: int) -> Any:
    """The address of the rows ``order`` one after the other: copied, unless they stand so."""
    count = order.size
    if order[count - 1] - order[0] == count - 1:
        return x + order[0] * e.x_step
    for i in range(count):
        source = bytes_at(x + order[i] * e.x_step, e.x_step)
        target = bytes_at(scratch + i * e.x_step, e.x_step)
        for k in range(e.x_step):
            target[k] = source[k]
    return scratch


@inner
def clamped(e: Any, gates: Any, ups: Any) -> None:
    """``(up + 1) * gate * sigmoid(alpha * gate)``, both clamped (gpt-oss), into the gates."""
    alpha, limit = bits_to_float(np.int32(e.alpha_bits)), bits_to_float(np.int32(e.limit_bits))
    for i in range(gates.size):
        gate = min(gates[i], limit)
        up = min(max(ups[i], -limit), limit)
        gates[i] = (up + np.float32(1)) * silu(alpha * gate) / alpha


@inner
def gate_rows(e: Any, order: Any, place: int, x: int, units: Any, scratch: int) -> None:
    """Units of one expert for the rows ``order``, which go to ``place`` and after."""
    gates = scratch
    ups = gates + GATED_ROWS * UNIT * 4
    rows = ups + GATED_ROWS * UNIT * 4
    rest = rows + GATED_ROWS * e.x_step
    for row in range(0, order.size, GATED_ROWS):
        count = min(GATED_ROWS, order.size - row)
        at = gather(e, x, order[row : row + count], rows)
        most = units_at_once(count)
        for unit in range(units[0], units[1], most):
            some = min(most, units[1] - unit)
            tile, along = 2 * unit, unit * UNIT * 4
            bias = e.gate_bias + along if e.gate_bias else 0
            step, gate, up = e.x_step, e.gate_tile + tile, e.up_tile + tile
            gate_units(e.gate, gate, some, bias, count, at, step, gates, rest)
            activated = floats(gates, count * some * UNIT)
            if e.activation != CLAMPED:
                activate(activated, e.activation)
            if e.up:
                bias = e.up_bias + along if e.up_bias else 0
                gate_units(e.up, up, some, bias, count, at, step, ups, rest)
                given = floats(ups, count * some * UNIT)
                if e.activation == CLAMPED:
                    clamped(e, activated, given)
                else:
                    multiply_in(activated, given)
            hand_on(e, unit, some, place + row, count, gates)


@operation
def gated_experts(arguments: int, state: int, thread: int, threads: int) -> None:
    """The first half of all experts, by parts of all (expert, unit), each with its cost."""
    a = carray(as_pointer(arguments), (1,), MIXTURE)[0]
    step = step_at(state)
    experts, first = experts_of(a), numbers(a.first, a.count + 1)
    order = numbers(a.order, step.rows * a.taken)
    total = 0
    for number in range(a.count):
        rows = first[number + 1] - first[number]
        if rows:
            total += max(rows, READING) * experts[number].units
    while True:
        low, high = next_part(step.queues, thread, threads, total, READING)
        if low == high:
            return
        at = 0
        for number in range(a.count):
            rows = first[number + 1] - first[number]
            if rows == 0:
                continue
            e = experts[number]
            cost = max(rows, READING)
            begin = min(e.units, max(0, (low - at + cost - 1) // cost))
            end = min(e.units, max(0, (high - at + cost - 1) // cost))
            at += cost * e.units
            if begin < end:
                x = e.x + thread * e.private if step.rows <= PRIVATE_ROWS else e.x
                mine = order[first[number] : first[number + 1]]
                room = thread_scratch(step, thread)
                gate_rows(e, mine, first[number], x, (begin, end), room)


@inner
def add_tiles(a: Any, tile: int, tiles: int, order: Any, along: Any, sums: int) -> None:
    """Add products [row][tiles] to the rows ``order`` of y, each times its weight."""
    columns = tiles * TILE_ROWS
    for i in range(order.size):
        y = floats(a.y + order[i] * a.y_step + tile * LANES_BYTES, columns)
        given, weight = floats(sums + i * columns * 4, columns), along[i]
        for k in range(columns):
            y[k] += weight * given[k]


@inner
def sum_tiles(a: Any, first: int, end: int, step: Any, sums: int) -> None:
    """All experts' products of some tiles of outputs, added to y by their weights."""
    experts, places = experts_of(a), numbers(a.first, a.count + 1)
    pairs = step.rows * a.taken
    order, along = numbers(a.order, pairs), floats(a.sorted, pairs)
    rest = sums + SUMS_BYTES
    for number in range(a.count):
        rows = places[number + 1] - places[number]
        if rows == 0:
            continue
        e = experts[number]
        m = matrix_at(e.down)
        size, group = min(max(8, CACHED_BYTES // e.gates_step // 8 * 8), SUMMED_ROWS), 1
        if rows <= FEW_ROWS:
            size, group = FEW_ROWS, FEW_TILES
        for row in range(0, rows, size):
            count, place = min(size, rows - row), places[number] + row
            for tile in range(first, end, group):
                tiles = min(group, end - tile)
                bias = e.down_bias + tile * LANES_BYTES if e.down_bias else 0
                call11(
                    m.multiply, e.down, tile, tiles, count,
                    e.gates + place * e.gates_step, e.gates_step, bias, 0, sums,
                    tiles * LANES_BYTES, rest,
                )  # fmt: skip
                mine = order[place : place + count]
                add_tiles(a, tile, tiles, mine, along[place : place + count], sums)


@operation
def summed_experts(arguments: int, state: int, thread: int, threads: int) -> None:
    """The second half of all experts, added to y by their weights, by parts of the outputs."""
    a = carray(as_pointer(arguments), (1,), MIXTURE)[0]
    step = step_at(state)
    tiles = matrix_at(experts_of(a)[0].down).tiles
    while True:
        first, end = next_part(step.queues, thread, threads, tiles, LEAST_TILES)
        if first == end:
            return
        sum_tiles(a, first, end, step, thread_scratch(step, thread))
