"""Pages of keys and values: where they lie, and how a new token gets into them.

A page of one head's keys is transposed, [key_dim][tokens], a page of values [tokens][value_dim], so
that ``FloatTile`` serves both products of attention: lanes are tokens in the first, dimensions in
the second. Where values are the first columns of the keys (``joined``), there is one page of both,
[tokens][key_dim padded to 16], and ``DotTile`` makes the first product. Elements are float16, or
int8 with a float32 scale for each token (its largest magnitude / 127), the scales of a page
standing behind its elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import (
    as_pointer,
    bytes_at,
    float_to_half,
    floats,
    halves,
    inner,
    nearest,
    numbers,
)
from engine.kernels.cpu.tables import ATTEND, SPAN, STEP

SPAN_BYTES = SPAN.itemsize


@inner
def spans_of(a: Any, step: Any) -> Any:
    """The step's spans with the page numbers of this layer's group."""
    at = step.spans + a.group * step.span_count * SPAN_BYTES
    return carray(as_pointer(at), (step.span_count,), SPAN)


@inner
def key_page(a: Any, page: int, kv_head: int) -> Any:
    """Address of one head's keys in a page."""
    return a.keys + (page * a.kv_heads + kv_head) * a.key_bytes


@inner
def value_page(a: Any, page: int, kv_head: int) -> Any:
    """Address of one head's values in a page."""
    return a.values + (page * a.kv_heads + kv_head) * a.value_bytes


@inner
def key_scales(a: Any, page_at: int) -> Any:
    """The scales of a page of int8 keys."""
    return floats(page_at + a.key_scales_at, a.page_size)


@inner
def value_scales(a: Any, page_at: int) -> Any:
    """The scales of a page of int8 values."""
    return floats(page_at + a.value_scales_at, a.page_size)


@inner
def byte_scale(x: Any) -> Any:
    """The scale of a token's int8 codes."""
    largest = np.float32(0)
    for i in range(x.size):
        largest = max(largest, abs(x[i]))
    return largest / np.float32(127)


@inner
def store_bytes(x: Any, scale: Any, at: int, stride: int) -> None:
    """Write a token as int8 codes, ``stride`` bytes apart."""
    out = bytes_at(at, (x.size - 1) * stride + 1)
    inverse = np.float32(1) / scale if scale > np.float32(1e-30) else np.float32(0)
    for i in range(x.size):
        out[i * stride] = np.int8(nearest(x[i] * inverse))


@inner
def store_values(a: Any, x: Any, page_at: int, slot: int) -> None:
    """Write one token's elements side by side."""
    if a.element_bytes == 1:
        scale = byte_scale(x)
        value_scales(a, page_at)[slot] = scale
        store_bytes(x, scale, page_at + slot * a.token_values, 1)
        return
    out = halves(page_at + slot * a.token_values * 2, x.size)
    for i in range(x.size):
        out[i] = float_to_half(x[i])


@inner
def store_row(a: Any, span: Any, token: int, kv_head: int) -> None:
    """Write one new token's key and value of one head into its page."""
    position = span.start + token
    page = numbers(span.pages, position // a.page_size + 1)[position // a.page_size]
    slot = position % a.page_size
    row = span.first + token
    k = floats(a.k + row * a.k_step + kv_head * a.key_dim * 4, a.key_dim)
    if a.joined:
        store_values(a, k, value_page(a, page, kv_head), slot)
        return
    v = floats(a.v + row * a.v_step + kv_head * a.value_dim * 4, a.value_dim)
    store_values(a, v, value_page(a, page, kv_head), slot)
    keys_at = key_page(a, page, kv_head)
    if a.element_bytes == 1:
        scale = byte_scale(k)
        key_scales(a, keys_at)[slot] = scale
        store_bytes(k, scale, keys_at + slot, a.page_tokens)
        return
    keys = halves(keys_at, a.key_dim * a.page_tokens)
    for i in range(a.key_dim):
        keys[i * a.page_tokens + slot] = float_to_half(k[i])


@operation
def store_cache(arguments: int, state: int, thread: int, threads: int) -> None:
    """Write the step's keys and values; rows are shared among the threads."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    spans = spans_of(a, step)
    for number in range(step.span_count):
        span = spans[number]
        first, end = share(span.tokens, thread, threads)
        for token in range(first, end):
            for kv_head in range(a.kv_heads):
                store_row(a, span, token, kv_head)
