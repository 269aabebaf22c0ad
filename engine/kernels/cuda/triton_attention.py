"""Attention over pages: one new token of many sequences, or many new tokens of some.

Decoding splits a sequence's keys over programs (flash-decoding, Dao et al. 2023), which leave a
partial sum each; ``combine`` adds them up. How many keys there are is read on the device, so a
recorded launch serves every length. The softmax is the running one of FlashAttention
(arXiv 2205.14135), in float32.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def scores_of(
    q,
    keys,
    key_scale,
    row,
    seen,
    d,
    scale,
    softcap,
    DIM: tl.constexpr,
    HAS_CAP: tl.constexpr,
    BYTES: tl.constexpr,
):
    """Scores [queries, keys] of keys in the cache's rows ``row``, before the mask."""
    at = keys + row[:, None] * DIM + d[None, :]
    k = tl.load(at, mask=seen[:, None] & (d < DIM)[None, :], other=0)
    s = tl.dot(q, tl.trans(k.to(q.dtype)), input_precision="ieee") * scale
    if BYTES:
        s *= tl.load(key_scale + row, mask=seen, other=0.0)[None, :]
    if HAS_CAP:
        s = softcap * (2.0 * tl.sigmoid(2.0 * s / softcap) - 1.0)
    return s


@triton.jit
def add_values(
    weights,
    values,
    value_scale,
    row,
    seen,
    d,
    total,
    DIM: tl.constexpr,
    TYPE: tl.constexpr,
    BYTES: tl.constexpr,
):
    """``total + weights @ values`` for values in the cache's rows ``row``."""
    at = values + row[:, None] * DIM + d[None, :]
    v = tl.load(at, mask=seen[:, None] & (d < DIM)[None, :], other=0).to(TYPE)
    if BYTES:
        weights *= tl.load(value_scale + row, mask=seen, other=0.0)[None, :]
    return tl.dot(weights.to(TYPE), v, total, input_precision="ieee")


@triton.jit
def attend_split(
    q,
    keys,
    values,
    key_scale,
    value_scale,
    pages,
    lengths,
    partial,
    maxima,
    sums,
    scale,
    softcap,
    window,
    table_width,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    DIM: tl.constexpr,
    PAGE: tl.constexpr,
    SPLITS: tl.constexpr,
    HAS_CAP: tl.constexpr,
    HAS_WINDOW: tl.constexpr,
    BYTES: tl.constexpr,
    BLOCK_G: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """The heads that share a key head, over one split of a sequence's keys."""
    sequence, kv, split = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    group: tl.constexpr = HEADS // KV_HEADS
    g, t, d = tl.arange(0, BLOCK_G), tl.arange(0, BLOCK_T), tl.arange(0, BLOCK_D)
    head = sequence * HEADS + kv * group + g
    in_q = (g < group)[:, None] & (d < DIM)[None, :]
    query = tl.load(q + head[:, None] * DIM + d[None, :], mask=in_q, other=0.0)
    length = tl.load(lengths + sequence).to(tl.int32)
    first = 0
    if HAS_WINDOW:
        first = tl.maximum(length - window, 0)
    each = tl.cdiv(tl.cdiv(length - first, BLOCK_T), SPLITS) * BLOCK_T
    begin = first + split * each
    end = tl.minimum(begin + each, length)
    highest = tl.full([BLOCK_G], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_G], tl.float32)
    mixed = tl.zeros([BLOCK_G, BLOCK_D], tl.float32)
    for at in range(begin, end, BLOCK_T):
        place = at + t
        seen = place < end
        page = tl.load(pages + sequence * table_width + place // PAGE, mask=seen, other=0)
        row = (page.to(tl.int64) * PAGE + place % PAGE) * KV_HEADS + kv
        s = scores_of(query, keys, key_scale, row, seen, d, scale, softcap, DIM, HAS_CAP, BYTES)
        s = tl.where(seen[None, :], s, float("-inf"))
        higher = tl.maximum(highest, tl.max(s, axis=1))
        fades, p = tl.exp(highest - higher), tl.exp(s - higher[:, None])
        total = total * fades + tl.sum(p, axis=1)
        mixed = mixed * fades[:, None]
        mixed = add_values(p, values, value_scale, row, seen, d, mixed, DIM, query.dtype, BYTES)
        highest = higher
    out = head * SPLITS + split
    tl.store(maxima + out, highest, mask=g < group)
    tl.store(sums + out, total, mask=g < group)
    tl.store(partial + out[:, None] * DIM + d[None, :], mixed, mask=in_q)


@triton.jit
def combine(
    partial,
    maxima,
    sums,
    sinks,
    out,
    HEADS: tl.constexpr,
    DIM: tl.constexpr,
    SPLITS: tl.constexpr,
    HAS_SINKS: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """Add up one head's splits; a sequence without keys gives zeros."""
    head = tl.program_id(0)
    s, d = tl.arange(0, SPLITS), tl.arange(0, BLOCK_D)
    at = head * SPLITS + s
    highs, parts = tl.load(maxima + at), tl.load(sums + at)
    highest = tl.max(highs, axis=0)
    if HAS_SINKS:
        sink = tl.load(sinks + head % HEADS).to(tl.float32)
        highest = tl.maximum(highest, sink)
    highest = tl.where(highest == float("-inf"), 0.0, highest)
    shares = tl.exp(highs - highest)
    total = tl.sum(parts * shares, axis=0)
    if HAS_SINKS:
        total += tl.exp(sink - highest)
    x = tl.load(partial + at[:, None] * DIM + d[None, :], mask=(d < DIM)[None, :], other=0.0)
    x = tl.sum(x * shares[:, None], axis=0) / tl.where(total == 0.0, 1.0, total)
    tl.store(out + head * DIM + d, x.to(out.dtype.element_ty), mask=d < DIM)


@triton.jit
def attend_rows(
    q,
    keys,
    values,
    key_scale,
    value_scale,
    pages,
    blocks,
    sinks,
    out,
    scale,
    softcap,
    window,
    table_width,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    DIM: tl.constexpr,
    PAGE: tl.constexpr,
    HAS_CAP: tl.constexpr,
    HAS_WINDOW: tl.constexpr,
    HAS_SINKS: tl.constexpr,
    BYTES: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_T: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    """One head of a block of neighbouring new tokens of one sequence.

    ``blocks`` is int32 [blocks, 4]: first row, rows, position of the first row, sequence.
    """
    block, head = blocks + tl.program_id(0) * 4, tl.program_id(1)
    first_row, rows, start = tl.load(block), tl.load(block + 1), tl.load(block + 2)
    table = pages + tl.load(block + 3) * table_width
    m, t, d = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_T), tl.arange(0, BLOCK_D)
    at_q = ((first_row + m).to(tl.int64) * HEADS + head)[:, None] * DIM + d[None, :]
    in_q = (m < rows)[:, None] & (d < DIM)[None, :]
    query = tl.load(q + at_q, mask=in_q, other=0.0)
    position, end, first = start + m, start + rows, 0
    if HAS_WINDOW:
        first = tl.maximum(start - window + 1, 0)
    highest, total = tl.full([BLOCK_M], float("-inf"), tl.float32), tl.zeros([BLOCK_M], tl.float32)
    mixed = tl.zeros([BLOCK_M, BLOCK_D], tl.float32)
    for at in range(first, end, BLOCK_T):
        place = at + t
        seen = place < end
        page = tl.load(table + place // PAGE, mask=seen, other=0)
        row = (page.to(tl.int64) * PAGE + place % PAGE) * KV_HEADS + head // (HEADS // KV_HEADS)
        s = scores_of(query, keys, key_scale, row, seen, d, scale, softcap, DIM, HAS_CAP, BYTES)
        visible = seen[None, :] & (place[None, :] <= position[:, None])
        if HAS_WINDOW:
            visible = visible & (position[:, None] - place[None, :] < window)
        s = tl.where(visible, s, float("-inf"))
        higher = tl.maximum(highest, tl.max(s, axis=1))
        level = tl.where(higher == float("-inf"), 0.0, higher)
        fades, p = tl.exp(highest - level), tl.exp(s - level[:, None])
        total = total * fades + tl.sum(p, axis=1)
        mixed = mixed * fades[:, None]
        mixed = add_values(p, values, value_scale, row, seen, d, mixed, DIM, query.dtype, BYTES)
        highest = higher
    if HAS_SINKS:
        sink = tl.load(sinks + head).to(tl.float32)
        higher = tl.maximum(highest, sink)
        fades = tl.exp(highest - higher)
        total, mixed = total * fades + tl.exp(sink - higher), mixed * fades[:, None]
    mixed = mixed / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out + at_q, mixed.to(out.dtype.element_ty), mask=in_q)
