"""Operations of the paged KV cache: store a step's keys and values, attend over the pages.

A page of keys is transposed, float16 [key_dim][tokens], a page of values [tokens][value_dim], so
that ``FloatTile`` serves both products: lanes are tokens in the first, dimensions in the second.
Keys are taken in chunks with a running maximum (online softmax, Milakov & Gimelshein 2018), so
memory does not grow with the context.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import exponential, hyperbolic_tangent, share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import (
    as_pointer,
    bits_to_float,
    call11,
    float_to_half,
    floats,
    halves,
    inner,
    numbers,
)
from engine.kernels.cpu.tables import ATTEND, SPAN, STEP

QUERIES = 4
"""Queries that share a pass over keys: neighbouring tokens of a head, or heads of a group."""
CHUNK = 512
"""Keys between two looks at the running maximum."""
LOWEST = np.float32(-1e30)


@inner
def key_page(a: Any, page: int, kv_head: int) -> Any:
    """Address of one head's keys in a page."""
    return a.keys + (page * a.kv_heads + kv_head) * a.key_dim * a.page_tokens * 2


@inner
def value_page(a: Any, page: int, kv_head: int) -> Any:
    """Address of one head's values in a page."""
    return a.values + (page * a.kv_heads + kv_head) * a.page_size * a.value_padded * 2


@inner
def store_row(a: Any, span: Any, token: int, kv_head: int) -> None:
    """Write one new token's key and value of one head into its page."""
    position = span.start + token
    page = numbers(span.pages, position // a.page_size + 1)[position // a.page_size]
    slot = position % a.page_size
    row = span.first + token
    k = floats(a.k + row * a.k_step + kv_head * a.key_dim * 4, a.key_dim)
    v = floats(a.v + row * a.v_step + kv_head * a.value_dim * 4, a.value_dim)
    keys = halves(key_page(a, page, kv_head), a.key_dim * a.page_tokens)
    for i in range(a.key_dim):
        keys[i * a.page_tokens + slot] = float_to_half(k[i])
    values = halves(value_page(a, page, kv_head) + slot * a.value_padded * 2, a.value_padded)
    for i in range(a.value_dim):
        values[i] = float_to_half(v[i])


@operation
def store_cache(arguments: int, state: int, thread: int, threads: int) -> None:
    """Write the step's keys and values; rows are shared among the threads."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    spans = carray(as_pointer(step.spans), (step.span_count,), SPAN)
    for number in range(step.span_count):
        span = spans[number]
        first, end = share(span.tokens, thread, threads)
        for token in range(first, end):
            for kv_head in range(a.kv_heads):
                store_row(a, span, token, kv_head)


@inner
def float_call(a: Any, queries: int) -> Any:
    """The tile function for this many queries: 1, 2 or 4."""
    if queries == 4:
        return a.score4
    return a.score2 if queries == 2 else a.score1


@inner
def scores_to_weights(
    a: Any, scores: Any, count: int, first: int, end: int, old_largest: Any
) -> tuple[Any, Any]:
    """Scale, cap, exponentiate scores[first:end], zero the rest; (largest, sum)."""
    scale = bits_to_float(np.int32(a.scale_bits))
    cap = bits_to_float(np.int32(a.softcap_bits))
    largest = old_largest
    if cap > np.float32(0):
        inverse = scale / cap
        for t in range(first, end):
            scores[t] = cap * hyperbolic_tangent(scores[t] * inverse)
    else:
        for t in range(first, end):
            scores[t] *= scale
    for t in range(first, end):
        largest = max(largest, scores[t])
    total = np.float32(0)
    for t in range(first, end):
        weight = exponential(scores[t] - largest)
        scores[t] = weight
        total += weight
    for t in range(first):
        scores[t] = np.float32(0)
    for t in range(max(first, end), count):
        scores[t] = np.float32(0)
    return largest, total


@inner
def attend_chunk(
    a: Any,
    pages: Any,
    kv_head: int,
    q: int,
    q_step: int,
    queries: int,
    first_page: int,
    end_page: int,
    keys_end: int,
    scratch: int,
) -> None:
    """Scores of one chunk of pages for the queries: scratch [queries][CHUNK + page]."""
    stride = (CHUNK + a.page_tokens) * 4
    function = float_call(a, queries)
    for number in range(first_page, end_page):
        out = scratch + (number - first_page) * a.page_size * 4
        tokens = min(a.page_size, keys_end - number * a.page_size)
        call11(
            function,
            key_page(a, pages[number], kv_head),
            (tokens + 15) // 16,
            32,
            a.key_dim,
            a.page_tokens * 2,
            q,
            q_step,
            0,
            0,
            out,
            stride,
        )


@inner
def add_values(
    a: Any,
    pages: Any,
    kv_head: int,
    queries: int,
    first_page: int,
    end_page: int,
    keys_end: int,
    scratch: int,
    out: int,
) -> None:
    """Add the chunk's weighted values to out [queries][value_padded]."""
    stride = (CHUNK + a.page_tokens) * 4
    function = float_call(a, queries)
    for number in range(first_page, end_page):
        weights = scratch + (number - first_page) * a.page_size * 4
        tokens = min(a.page_size, keys_end - number * a.page_size)
        call11(
            function,
            value_page(a, pages[number], kv_head),
            a.value_padded // 16,
            32,
            tokens,
            a.value_padded * 2,
            weights,
            stride,
            out,
            a.value_padded * 4,
            out,
            a.value_padded * 4,
        )


@inner
def attend_queries(
    a: Any,
    pages: Any,
    kv_head: int,
    q: int,
    q_step: int,
    y: int,
    y_step: int,
    queries: int,
    position: int,
    position_step: int,
    scratch: int,
) -> None:
    """Attend ``queries`` queries (1, 2 or 4) that share a head's keys.

    Query i is at ``position + i * position_step`` and sees keys up to there, within the window.
    """
    stride = CHUNK + a.page_tokens
    out = scratch + QUERIES * stride * 4
    state = floats(out + QUERIES * a.value_padded * 4, 2 * QUERIES)
    acc = floats(out, queries * a.value_padded)
    for i in range(queries * a.value_padded):
        acc[i] = np.float32(0)
    for i in range(queries):
        state[2 * i], state[2 * i + 1] = LOWEST, np.float32(0)
    keys_end = position + (queries - 1) * position_step + 1
    begin = max(0, position + 1 - a.window) if a.window else 0
    chunk_pages = max(1, CHUNK // a.page_size)
    page, last = begin // a.page_size, (keys_end + a.page_size - 1) // a.page_size
    while page < last:
        end = min(last, page + chunk_pages)
        attend_chunk(a, pages, kv_head, q, q_step, queries, page, end, keys_end, scratch)
        base = page * a.page_size
        count = min(end * a.page_size, keys_end) - base
        for i in range(queries):
            own = position + i * position_step
            lowest = max(0, own + 1 - a.window) if a.window else 0
            scores = floats(scratch + i * stride * 4, stride)
            first, stop = max(0, lowest - base), min(count, own + 1 - base)
            old = state[2 * i]
            largest, total = scores_to_weights(a, scores, count, first, stop, old)
            shrink = exponential(old - largest)
            state[2 * i], state[2 * i + 1] = largest, state[2 * i + 1] * shrink + total
            mine = floats(out + i * a.value_padded * 4, a.value_padded)
            for d in range(a.value_padded):
                mine[d] *= shrink
        add_values(a, pages, kv_head, queries, page, end, keys_end, scratch, out)
        page = end
    for i in range(queries):
        result = floats(y + i * y_step, a.value_dim)
        mine = floats(out + i * a.value_padded * 4, a.value_dim)
        inverse = np.float32(1) / state[2 * i + 1]
        for d in range(a.value_dim):
            result[d] = mine[d] * inverse


@inner
def step_size(left: int) -> int:
    """How many queries to take of those left: 4, 2 or 1."""
    if left >= 4:
        return 4
    return 2 if left >= 2 else 1


@inner
def attend_token(a: Any, span: Any, pages: Any, first: int, end: int, scratch: int) -> None:
    """Heads ``first`` to ``end`` of a span of one token: heads of a group share a pass."""
    group = a.heads // a.kv_heads
    head = first
    while head < end:
        kv_head = head // group
        count = step_size(min(end, (kv_head + 1) * group) - head)
        q = a.q + span.first * a.q_step + head * a.key_dim * 4
        y = a.y + span.first * a.y_step + head * a.value_dim * 4
        attend_queries(
            a, pages, kv_head, q, a.key_dim * 4, y, a.value_dim * 4, count, span.start, 0, scratch
        )
        head += count


@operation
def attend_cache(arguments: int, state: int, thread: int, threads: int) -> None:
    """Attend: the heads of single tokens, or blocks of tokens, are shared among the threads."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    spans = carray(as_pointer(step.spans), (step.span_count,), SPAN)
    scratch = step.scratch + thread * step.scratch_step
    group = a.heads // a.kv_heads
    item = 0
    for number in range(step.span_count):
        span = spans[number]
        count = (span.start + span.tokens + a.page_size - 1) // a.page_size
        pages = numbers(span.pages, count)
        if span.tokens == 1:
            first, end = share(a.heads, thread, threads)
            attend_token(a, span, pages, first, end, scratch)
            continue
        for head in range(a.heads):
            token = 0
            while token < span.tokens:
                size = step_size(span.tokens - token)
                if item % threads == thread:
                    row = span.first + token
                    attend_queries(
                        a,
                        pages,
                        head // group,
                        a.q + row * a.q_step + head * a.key_dim * 4,
                        a.q_step,
                        a.y + row * a.y_step + head * a.value_dim * 4,
                        a.y_step,
                        size,
                        span.start + token,
                        1,
                        scratch,
                    )
                item += 1
                token += size
