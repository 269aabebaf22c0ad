"""Operations of multi-head latent attention around the pages: what is cached, what is absorbed.

The projections that would expand a latent to every head's keys and values are read as their
checkpoint has them: [rows][latent] for each head. Their rows are the lanes' depth on the way in
(``FloatTile``) and rows of dot products on the way out (``DotTile``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.cache_pages import spans_of, store_row
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.decoder_steps import rotate
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.matrices import FLOATS_AHEAD, step_at
from engine.kernels.cpu.norms import normalize
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, call8, call12, floats, inner
from engine.kernels.cpu.tables import ATTEND, EXPAND, RMS_NORM

PARTS = 4
"""Pieces that a head's outputs are shared out in: threads may be more than heads."""
ROWS = 4
"""Rows that a generated function takes at most."""


@inner
def place_query(a: Any, row: int, head: int) -> None:
    """Copy the turning part of one query head behind its absorbed part, rotated."""
    size = a.key_dim - a.value_dim
    each = (a.plain + size) * 4
    given = floats(a.raw + row * a.raw_step + head * each + a.plain * 4, size)
    own = floats(a.q + row * a.q_step + (head * a.key_dim + a.value_dim) * 4, size)
    for i in range(given.size):
        own[i] = given[i]
    rotate(own, floats(a.angles + row * a.angles_step, size), a.half)


@operation
def place_latent(arguments: int, state: int, thread: int, threads: int) -> None:
    """Rotate queries, normalize the latent, rotate its turning part, write both into the pages.

    What is shared among the threads are rows, each with its heads and its latent.
    """
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = step_at(state)
    spans = spans_of(a, step)
    each = a.heads + 1
    first, end = share(step.rows * each, thread, threads)
    number = 0
    for item in range(first, end):
        row, head = item // each, item % each
        if head < a.heads:
            place_query(a, row, head)
            continue
        while spans[number].first + spans[number].tokens <= row:
            number += 1
        span = spans[number]
        k = a.k + row * a.k_step
        epsilon = bits_to_float(np.int32(a.k_epsilon_bits))
        normalize(k, RMS_NORM, a.k_norm, 0, k, a.value_dim, epsilon)
        turning = floats(k + a.value_dim * 4, a.key_dim - a.value_dim)
        rotate(turning, floats(a.angles + row * a.angles_step, 2 * a.half), a.half)
        store_row(a, span, row - span.first, 0)


@inner
def function_of(a: Any, rows: int) -> Any:
    """The generated function for 1 to 4 rows."""
    if rows == 4:
        return a.function4
    if rows == 3:
        return a.function3
    return a.function2 if rows == 2 else a.function1


@operation
def absorb_keys(arguments: int, state: int, thread: int, threads: int) -> None:
    """Each head's query times its key expansion: [rows of a head] -> [latent]."""
    a = carray(as_pointer(arguments), (1,), EXPAND)[0]
    rows = step_at(state).rows
    first, end = share(a.heads * PARTS, thread, threads)
    for item in range(first, end):
        head = item // PARTS
        tiles = share(a.latent // TILE_ROWS, item % PARTS, PARTS)
        along = tiles[0] * TILE_ROWS * 4
        w = a.w + head * a.head_rows * a.latent * 4 + along
        for row in range(0, rows, ROWS):
            count = min(ROWS, rows - row)
            x = a.x + row * a.x_step + head * a.x_head
            y = a.y + row * a.y_step + head * a.y_head + along
            call12(
                function_of(a, count), w, tiles[1] - tiles[0], TILE_ROWS * 4, a.head_rows,
                a.latent * 4, x, a.x_step, 0, 0, y, a.y_step, FLOATS_AHEAD,
            )  # fmt: skip


@operation
def expand_values(arguments: int, state: int, thread: int, threads: int) -> None:
    """Each head's mixed latents times its value expansion: [latent] -> [rows of a head]."""
    a = carray(as_pointer(arguments), (1,), EXPAND)[0]
    rows = step_at(state).rows
    first, end = share(a.heads * PARTS, thread, threads)
    for item in range(first, end):
        head = item // PARTS
        outputs = share(a.head_rows, item % PARTS, PARTS)
        w = a.w + (head * a.head_rows + outputs[0]) * a.latent * 4
        for row in range(0, rows, ROWS):
            count = min(ROWS, rows - row)
            x = a.x + row * a.x_step + head * a.x_head
            y = a.y + row * a.y_step + head * a.y_head + outputs[0] * 4
            call8(
                function_of(a, count), w, outputs[1] - outputs[0], a.latent * 4, a.latent,
                x, a.x_step, y, a.y_step,
            )  # fmt: skip
