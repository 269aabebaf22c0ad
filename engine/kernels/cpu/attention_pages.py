"""Products of queries with a cache's pages: scores of keys, and sums of values by their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels.cpu.arithmetic import exponential, hyperbolic_tangent
from engine.kernels.cpu.cache_pages import key_page, key_scales, value_page, value_scales
from engine.kernels.cpu.pointers import bits_to_float, call8, call12, floats, inner


@inner
def zero(address: int, count: int) -> None:
    """Set float32 values to 0."""
    values = floats(address, count)
    for i in range(values.size):
        values[i] = np.float32(0)


@inner
def scores_to_weights(
    a: Any, at: int, count: int, first: int, end: int, largest: Any
) -> tuple[Any, Any]:
    """Scale, cap, exponentiate scores[first:end] in place, zero the rest of ``count``.

    Gives (largest score so far, sum of these weights). Arrays begin where loops do: LLVM does not
    vectorize a loop whose index could be negative.
    """
    scale = bits_to_float(np.int32(a.scale_bits))
    cap = bits_to_float(np.int32(a.softcap_bits))
    end = max(first, end)
    scores = floats(at + first * 4, end - first)
    if cap > np.float32(0):
        inverse = scale / cap
        for t in range(scores.size):
            scores[t] = cap * hyperbolic_tangent(scores[t] * inverse)
        scale = np.float32(1)
    most = np.float32(-3.4e38)
    for t in range(scores.size):
        most = max(most, scores[t])
    largest = max(largest, most * scale)
    total = np.float32(0)
    for t in range(scores.size):
        weight = exponential(scores[t] * scale - largest)
        scores[t] = weight
        total += weight
    zero(at, first)
    zero(at + end * 4, count - end)
    return largest, total


@inner
def tile_function(a: Any, queries: int) -> Any:
    """The tile function for 1 to 4 queries."""
    if queries == 4:
        return a.tile4
    if queries == 3:
        return a.tile3
    return a.tile2 if queries == 2 else a.tile1


@inner
def dots_function(a: Any, queries: int) -> Any:
    """The function of dot products for 1 to 4 queries."""
    if queries == 4:
        return a.dots4
    if queries == 3:
        return a.dots3
    return a.dots2 if queries == 2 else a.dots1


@inner
def score_page(
    a: Any,
    keys: int,
    then: int,
    tokens: int,
    q: int,
    q_step: int,
    queries: int,
    out: int,
    stride: int,
) -> None:
    """Products of a page's first ``tokens`` keys with the queries; ``then`` is read next."""
    size = a.element_bytes
    if a.joined:
        call8(
            dots_function(a, queries), keys, tokens, a.token_values * size, a.token_values,
            q, q_step, out, stride,
        )  # fmt: skip
        return
    call12(
        tile_function(a, queries), keys, (tokens + 15) // 16, 16 * size, a.key_dim,
        a.page_tokens * size, q, q_step, 0, 0, out, stride, then - keys,
    )  # fmt: skip


@inner
def scale_rows(scales: Any, at: int, stride: int, rows: int, count: int) -> None:
    """Multiply ``rows`` rows of ``count`` values by the scales of their columns."""
    for row in range(rows):
        x = floats(at + row * stride, count)
        for t in range(x.size):
            x[t] *= scales[t]


@inner
def score_pages(
    a: Any,
    pages: Any,
    kv_head: int,
    q: int,
    q_step: int,
    queries: int,
    first: int,
    end: int,
    keys_end: int,
    scores: int,
    stride: int,
) -> None:
    """Scores of the keys of pages ``first`` to ``end``: [queries], ``stride`` bytes a row.

    While a page is multiplied, the next one is asked of memory; after the last the first values.
    """
    for number in range(first, end):
        out = scores + (number - first) * a.page_size * 4
        tokens = min(a.page_size, keys_end - number * a.page_size)
        keys = key_page(a, pages[number], kv_head)
        then = value_page(a, pages[first], kv_head)
        if number + 1 < end:
            then = key_page(a, pages[number + 1], kv_head)
        score_page(a, keys, then, tokens, q, q_step, queries, out, stride)
        if a.element_bytes == 1:
            scale_rows(key_scales(a, keys), out, stride, queries, tokens)


@inner
def add_values(
    a: Any,
    pages: Any,
    kv_head: int,
    queries: int,
    first: int,
    end: int,
    keys_end: int,
    weights: int,
    stride: int,
    out: int,
    after: int,
) -> None:
    """Add the values of pages ``first`` to ``end`` by their weights to out [value_padded].

    While a page is multiplied, the next one is asked of memory; after the last what lies at
    ``after``.
    """
    function = tile_function(a, queries)
    row = a.value_padded * 4
    depth_step = a.token_values * a.element_bytes
    for number in range(first, end):
        at = weights + (number - first) * a.page_size * 4
        tokens = min(a.page_size, keys_end - number * a.page_size)
        values = value_page(a, pages[number], kv_head)
        if a.element_bytes == 1:
            scale_rows(value_scales(a, values), at, stride, queries, tokens)
        then = value_page(a, pages[number + 1], kv_head) if number + 1 < end else after
        call12(
            function, values, a.value_padded // 16, 16 * a.element_bytes, tokens, depth_step,
            at, stride, out, row, out, row, then - values,
        )  # fmt: skip
