"""Operations around the generated tiles: quantize rows, multiply, look rows up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import ACTIVATION_BYTES, BLOCK, TILE_ROWS
from engine.kernels.cpu.pointers import (
    as_pointer,
    bits_to_float,
    call3,
    call9,
    call11,
    floats,
    half_to_float,
    halves,
    inner,
    numbers,
)
from engine.kernels.cpu.tables import (
    EMBED,
    FLOAT_PRODUCT,
    PRIVATE_ROWS,
    PRODUCT,
    QUANTIZE,
    STEP,
)

CACHED_BYTES = 128 * 1024
"""Activations that stay in the second-level cache while the tiles of a weight pass over them."""


@operation
def quantize(arguments: int, state: int, thread: int, threads: int) -> None:
    """Rows of float32 to int8 blocks: every thread all rows if they are few, else its share."""
    a = carray(as_pointer(arguments), (1,), QUANTIZE)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    first, end, out = 0, step.rows, a.out + thread * a.private_step
    if step.rows > PRIVATE_ROWS:
        first, end = share(step.rows, thread, threads)
        out = a.out
    whole = a.columns // BLOCK
    for row in range(first, end):
        x, target = a.x + row * a.x_step, out + row * a.out_step
        call3(a.function, x, whole, target)
        if a.padded > whole:
            scratch = step.scratch + thread * step.scratch_step
            padded = floats(scratch, (a.padded - whole) * BLOCK)
            given = floats(x, a.columns)
            for i in range(padded.size):
                at = whole * BLOCK + i
                padded[i] = given[at] if at < a.columns else np.float32(0)
            call3(a.function, scratch, a.padded - whole, target + whole * ACTIVATION_BYTES)


@inner
def multiply(a: Any, tile: int, tiles: int, x: int, rows: int, y: int, y_step: int) -> None:
    """``tiles`` tiles from ``tile`` times ``rows`` rows of x, to y."""
    w = a.w + tile * a.tile_bytes
    start = a.start + tile * 4 * TILE_ROWS if a.start else 0
    row = 0
    while row < rows:
        left = rows - row
        count, function = 1, a.function1
        if left >= 8 and a.function8:
            count, function = 8, a.function8
        elif left >= 4 and a.function4:
            count, function = 4, a.function4
        elif left >= 2:
            count, function = 2, a.function2
        begin = start + row * a.start_step if start else 0
        call9(
            function,
            w,
            tiles,
            a.records,
            x + row * a.x_step,
            a.x_step,
            begin,
            a.start_step,
            y + row * y_step,
            y_step,
        )
        row += count


@inner
def multiply_last(a: Any, tile: int, x: int, rows: int, scratch: int) -> None:
    """The last tile where the weight has fewer than its 16 rows, through memory of the thread's."""
    w = a.w + tile * a.tile_bytes
    lanes = a.outputs - tile * TILE_ROWS
    padded = floats(scratch, TILE_ROWS)
    for row in range(rows):
        call9(a.function1, w, 1, a.records, x + row * a.x_step, 0, 0, 0, scratch, 0)
        y = floats(a.y + row * a.y_step + tile * 4 * TILE_ROWS, lanes)
        if a.start:
            start = floats(a.start + row * a.start_step + tile * 4 * TILE_ROWS, lanes)
            for lane in range(lanes):
                y[lane] = start[lane] + padded[lane]
        else:
            for lane in range(lanes):
                y[lane] = padded[lane]


@operation
def product(arguments: int, state: int, thread: int, threads: int) -> None:
    """A quantized weight times the quantized rows, for this thread's tiles."""
    a = carray(as_pointer(arguments), (1,), PRODUCT)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    first, end = share(a.tiles, thread, threads)
    whole = min(end, a.outputs // TILE_ROWS)
    few = step.rows <= PRIVATE_ROWS
    x = a.x + thread * a.private_step if few else a.x
    if few and whole > first:
        y = a.y + first * 4 * TILE_ROWS
        multiply(a, first, whole - first, x, step.rows, y, a.y_step)
    block = max(8, CACHED_BYTES // a.x_step // 8 * 8)
    for row in range(0, 0 if few else step.rows, block):
        count = min(block, step.rows - row)
        for tile in range(first, whole):
            multiply_rows(a, tile, x, row, count)
    if end > whole and end > first:
        scratch = step.scratch + thread * step.scratch_step
        multiply_last(a, whole, x, step.rows, scratch)


@inner
def multiply_rows(a: Any, tile: int, x: int, first: int, count: int) -> None:
    """One tile times ``count`` rows of x from row ``first``."""
    w = a.w + tile * a.tile_bytes
    along = tile * 4 * TILE_ROWS
    row = first
    while row < first + count:
        left = first + count - row
        step, function = 1, a.function1
        if left >= 8 and a.function8:
            step, function = 8, a.function8
        elif left >= 4 and a.function4:
            step, function = 4, a.function4
        elif left >= 2:
            step, function = 2, a.function2
        start = a.start + along + row * a.start_step if a.start else 0
        y = a.y + along + row * a.y_step
        call9(
            function,
            w,
            1,
            a.records,
            x + row * a.x_step,
            a.x_step,
            start,
            a.start_step,
            y,
            a.y_step,
        )
        row += step


@inner
def multiply_floats(a: Any, w: int, tile: int, tiles: int, first: int, count: int) -> None:
    """Float tiles times ``count`` rows of x from row ``first``."""
    along = tile * 4 * TILE_ROWS
    row = first
    while row < first + count:
        left = first + count - row
        step, function = 1, a.function1
        if left >= 4:
            step, function = 4, a.function4
        elif left >= 2:
            step, function = 2, a.function2
        start = a.start + along + row * a.start_step if a.start else 0
        call11(
            function,
            w,
            tiles,
            a.tile_bytes,
            a.depth,
            a.depth_step,
            a.x + row * a.x_step,
            a.x_step,
            start,
            a.start_step,
            a.y + along + row * a.y_step,
            a.y_step,
        )
        row += step


@inner
def multiply_last_floats(a: Any, w: int, tile: int, rows: int, scratch: int) -> None:
    """As ``multiply_last``, for a float tile."""
    lanes = a.outputs - tile * TILE_ROWS
    padded = floats(scratch, TILE_ROWS)
    for row in range(rows):
        call11(
            a.function1, w, 1, 0, a.depth, a.depth_step, a.x + row * a.x_step, 0, 0, 0, scratch, 0
        )
        y = floats(a.y + row * a.y_step + tile * 4 * TILE_ROWS, lanes)
        for lane in range(lanes):
            y[lane] = padded[lane]
        if a.start:
            start = floats(a.start + row * a.start_step + tile * 4 * TILE_ROWS, lanes)
            for lane in range(lanes):
                y[lane] += start[lane]


@operation
def float_product(arguments: int, state: int, thread: int, threads: int) -> None:
    """A float weight, or a quantized one made float tile by tile, times float rows."""
    a = carray(as_pointer(arguments), (1,), FLOAT_PRODUCT)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    scratch = step.scratch + thread * step.scratch_step
    first, end = share(a.tiles, thread, threads)
    whole = min(end, a.outputs // TILE_ROWS)
    if not a.unpack and step.rows <= PRIVATE_ROWS:
        if whole > first:
            w = a.w + first * a.tile_bytes
            multiply_floats(a, w, first, whole - first, 0, step.rows)
        first = max(first, whole)
    block = max(8, CACHED_BYTES // a.x_step // 8 * 8) if not a.unpack else step.rows
    for row in range(0, step.rows, block):
        count = min(block, step.rows - row)
        for tile in range(first, end):
            w = a.w + tile * a.tile_bytes
            if a.unpack:
                w = scratch + 4 * TILE_ROWS
                call3(a.unpack, a.w + tile * a.w_tile_bytes, a.records, w)
            if tile < whole:
                multiply_floats(a, w, tile, 1, row, count)
            elif row == 0:
                multiply_last_floats(a, w, tile, step.rows, scratch)


@operation
def embed(arguments: int, state: int, thread: int, threads: int) -> None:
    """Rows of a packed weight as float32."""
    a = carray(as_pointer(arguments), (1,), EMBED)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    first, end = share(step.rows, thread, threads)
    ids = numbers(a.ids, step.rows)
    for row in range(first, end):
        tile = a.w + ids[row] // TILE_ROWS * a.tile_bytes
        lane = ids[row] % TILE_ROWS
        y = floats(a.y + row * a.y_step, a.columns)
        if a.element <= 1:
            source = tile
            if a.element == 0:
                source = step.scratch + thread * step.scratch_step
                call3(a.unpack, tile, a.records, source)
            given = floats(source, a.columns * TILE_ROWS)
            for k in range(a.columns):
                y[k] = given[k * TILE_ROWS + lane]
        elif a.element == 2:
            given2 = halves(tile, a.columns * TILE_ROWS)
            for k in range(a.columns):
                y[k] = half_to_float(given2[k * TILE_ROWS + lane])
        else:
            given3 = halves(tile, a.columns * TILE_ROWS)
            for k in range(a.columns):
                bits = np.uint32(given3[k * TILE_ROWS + lane]) << np.uint32(16)
                y[k] = bits_to_float(np.int32(bits))
