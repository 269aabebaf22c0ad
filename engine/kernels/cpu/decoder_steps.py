"""Operations of a decoder's step that are neither products nor attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import hyperbolic_tangent, share
from engine.kernels.cpu.cache_pages import spans_of, store_row
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import step_at
from engine.kernels.cpu.norms import normalize
from engine.kernels.cpu.pointers import as_pointer, bits_to_float, floats, inner, numbers
from engine.kernels.cpu.tables import ANGLES, ATTEND, LOGITS, RMS_NORM


@operation
def angles(arguments: int, state: int, thread: int, threads: int) -> None:
    """Cosines and sines of this thread's share of the positions.

    The angle is a float32 product, as models were trained with; its cosine is exact.
    """
    a = carray(as_pointer(arguments), (1,), ANGLES)[0]
    step = step_at(state)
    positions = numbers(step.positions, step.rows)
    frequencies = floats(a.frequencies, a.half)
    factor = bits_to_float(np.int32(a.factor_bits))
    first, end = share(step.rows, thread, threads)
    for row in range(first, end):
        out = floats(a.out + row * a.out_step, 2 * a.half)
        for i in range(a.half):
            angle = np.float32(positions[row]) * frequencies[i]
            out[i] = np.float32(math.cos(np.float64(angle))) * factor
            out[a.half + i] = np.float32(math.sin(np.float64(angle))) * factor


@inner
def rotate(x: Any, turns: Any, half: int) -> None:
    """Rotate one head in place (RoFormer, eq. 34; half-split layout)."""
    for i in range(half):
        first, second = x[i], x[half + i]
        x[i] = first * turns[i] - second * turns[half + i]
        x[half + i] = second * turns[i] + first * turns[half + i]


@inner
def clip(x: Any, size: int, limit: Any) -> None:
    """Clamp to ± limit, if there is one."""
    if limit > np.float32(0):
        for i in range(size):
            x[i] = min(max(x[i], -limit), limit)


@inner
def place_head(a: Any, at: int, row: int, norm: int, epsilon_bits: int) -> None:
    """Clip, normalize and rotate one query or key head in place."""
    x = floats(at, a.key_dim)
    if not a.norm_whole:
        clip(x, a.key_dim, bits_to_float(np.int32(a.clip_bits)))
        if norm:
            epsilon = bits_to_float(np.int32(epsilon_bits))
            normalize(at, RMS_NORM, norm, 0, at, a.key_dim, epsilon)
    if a.half:
        rotate(x, floats(a.angles + row * a.angles_step, 2 * a.half), a.half)


@inner
def norm_all_heads(a: Any, row: int) -> None:
    """Normalize all query heads of a row as one, and all key heads."""
    limit = bits_to_float(np.int32(a.clip_bits))
    q, k = a.q + row * a.q_step, a.k + row * a.k_step
    clip(floats(q, a.heads * a.key_dim), a.heads * a.key_dim, limit)
    clip(floats(k, a.kv_heads * a.key_dim), a.kv_heads * a.key_dim, limit)
    if a.q_norm:
        epsilon = bits_to_float(np.int32(a.q_epsilon_bits))
        normalize(q, RMS_NORM, a.q_norm, 0, q, a.heads * a.key_dim, epsilon)
    if a.k_norm:
        epsilon = bits_to_float(np.int32(a.k_epsilon_bits))
        normalize(k, RMS_NORM, a.k_norm, 0, k, a.kv_heads * a.key_dim, epsilon)


@operation
def place_heads(arguments: int, state: int, thread: int, threads: int) -> None:
    """Normalize and rotate queries and keys in place, and write keys and values into the pages.

    What is shared among the threads are heads of rows, or rows where a norm covers all heads.
    """
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = step_at(state)
    spans = spans_of(a, step)
    each = 1 if a.norm_whole else a.heads + a.kv_heads
    first, end = share(step.rows * each, thread, threads)
    number = 0
    for row in range(first // each, (end + each - 1) // each):
        while spans[number].first + spans[number].tokens <= row:
            number += 1
        span = spans[number]
        heads = (max(first, row * each) - row * each, min(end, (row + 1) * each) - row * each)
        if a.norm_whole:
            norm_all_heads(a, row)
            heads = (0, a.heads + a.kv_heads)
        for head in range(heads[0], heads[1]):
            if head < a.heads:
                at = a.q + row * a.q_step + head * a.key_dim * 4
                place_head(a, at, row, a.q_norm, a.q_epsilon_bits)
            else:
                kv_head = head - a.heads
                at = a.k + row * a.k_step + kv_head * a.key_dim * 4
                place_head(a, at, row, a.k_norm, a.k_epsilon_bits)
                v = floats(a.v + row * a.v_step + kv_head * a.value_dim * 4, a.value_dim)
                clip(v, a.value_dim, bits_to_float(np.int32(a.clip_bits)))
                store_row(a, span, row - span.first, kv_head)


@operation
def finish_logits(arguments: int, state: int, thread: int, threads: int) -> None:
    """Scale and cap the logits of the tiles that this thread has multiplied."""
    a = carray(as_pointer(arguments), (1,), LOGITS)[0]
    step = step_at(state)
    scale = bits_to_float(np.int32(a.scale_bits))
    cap = bits_to_float(np.int32(a.softcap_bits))
    tiles = share((a.columns + 15) // 16, thread, threads)
    first, end = tiles[0] * 16, min(tiles[1] * 16, a.columns)
    for row in range(step.wanted_count):
        y = floats(step.logits + row * step.logits_step, a.columns)
        if cap > np.float32(0):
            for i in range(first, end):
                y[i] = cap * hyperbolic_tangent(y[i] * scale / cap)
        else:
            for i in range(first, end):
                y[i] *= scale
