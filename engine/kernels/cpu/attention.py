"""Attention over the pages of the KV cache.

Keys are taken in chunks with a running maximum (online softmax, Milakov & Gimelshein 2018), so
memory does not grow with the context.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import exponential, share
from engine.kernels.cpu.attention_pages import (
    add_values,
    score_pages,
    scores_to_weights,
    zero,
)
from engine.kernels.cpu.cache_pages import key_page, spans_of
from engine.kernels.cpu.claims import claim
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import (
    as_pointer,
    call8,
    floats,
    inner,
    numbers,
)
from engine.kernels.cpu.tables import ATTEND, STEP

QUERIES = 4
"""Queries that share a pass over keys: neighbouring tokens of a head, or heads of a group."""
CLAIMED_TOKENS = 16
"""Neighbouring tokens of a head that a thread claims together."""
CHUNK = 512
"""Keys between two looks at the running maximum."""
LOWEST = np.float32(-1e30)
TOKENS, HEADS = 0, 1


@inner
def begin_queries(a: Any, head: int, across: int, queries: int, out: int) -> Any:
    """Zero the sums; [largest, sum of weights] of each query, a head's sink counted in."""
    zero(out, queries * a.value_padded)
    state = floats(out + QUERIES * a.value_padded * 4, 2 * QUERIES)
    for i in range(queries):
        state[2 * i], state[2 * i + 1] = LOWEST, np.float32(0)
        if a.sinks:
            own = head + i if across == HEADS else head
            state[2 * i], state[2 * i + 1] = floats(a.sinks, a.heads)[own], np.float32(1)
    return state


@inner
def finish_queries(
    a: Any, row: int, head: int, queries: int, across: int, out: int, state: Any
) -> None:
    """Divide the sums by the sums of weights, into y."""
    for i in range(queries):
        own, at = (head + i, row) if across == HEADS else (head, row + i)
        y = floats(a.y + at * a.y_step + own * a.value_dim * 4, a.value_dim)
        sums = floats(out + i * a.value_padded * 4, a.value_dim)
        inverse = np.float32(1) / state[2 * i + 1]
        for d in range(a.value_dim):
            y[d] = sums[d] * inverse


@inner
def queries_at(a: Any, row: int, head: int, queries: int, across: int, out: int) -> tuple[Any, Any]:
    """Where the queries are, and the distance between them; joined keys want them padded."""
    q = a.q + row * a.q_step + head * a.key_dim * 4
    q_step = a.key_dim * 4 if across == HEADS else a.q_step
    if not a.joined:
        return q, q_step
    padded, step = out + QUERIES * (a.value_padded + 2) * 4, a.token_values * 4
    for i in range(queries):
        at = padded + i * step
        given, own = floats(q + i * q_step, a.key_dim), floats(at, a.key_dim)
        for d in range(given.size):
            own[d] = given[d]
        zero(at + a.key_dim * 4, a.token_values - a.key_dim)
    return padded, step


@operation
def attend_queries(
    arguments: int,
    pages_at: int,
    row: int,
    head: int,
    queries: int,
    across: int,
    position: int,
    scratch: int,
) -> None:
    """Attend up to 4 neighbouring queries of one key head.

    They are tokens of a head (``across`` TOKENS: query i is at ``position + i``) or heads of a
    token; a query sees the keys up to its own, within the window.
    """
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    stride = CHUNK + a.page_tokens
    out = scratch + QUERIES * stride * 4
    state = begin_queries(a, head, across, queries, out)
    kv_head = head // (a.heads // a.kv_heads)
    q, q_step = queries_at(a, row, head, queries, across, out)
    apart = 0 if across == HEADS else 1
    keys_end = position + (queries - 1) * apart + 1
    page = max(0, position + 1 - a.window) // a.page_size if a.window else 0
    begin = page
    last = (keys_end + a.page_size - 1) // a.page_size
    pages = numbers(pages_at, last)
    while page < last:
        end = min(last, page + max(1, CHUNK // a.page_size))
        score_pages(a, pages, kv_head, q, q_step, queries, page, end, keys_end, scratch, stride * 4)
        base = page * a.page_size
        count = min(end * a.page_size, keys_end) - base
        for i in range(queries):
            own = position + i * apart
            lowest = max(0, own + 1 - a.window) if a.window else 0
            first, stop = max(0, lowest - base), min(count, own + 1 - base)
            old = state[2 * i]
            scores = scratch + i * stride * 4
            largest, total = scores_to_weights(a, scores, count, first, stop, old)
            shrink = exponential(old - largest)
            state[2 * i], state[2 * i + 1] = largest, state[2 * i + 1] * shrink + total
            sums = floats(out + i * a.value_padded * 4, a.value_padded)
            for d in range(a.value_padded):
                sums[d] *= shrink
        after = key_page(a, pages[begin], kv_head + 1)  # of the head whose turn is next
        if end < last:
            after = key_page(a, pages[end], kv_head)
        add_values(a, pages, kv_head, queries, page, end, keys_end, scratch, stride * 4, out, after)
        page = end
    finish_queries(a, row, head, queries, across, out, state)


@inner
def step_size(left: int) -> int:
    """How many queries to take of those left."""
    return min(left, QUERIES)


@inner
def attend_token(arguments: int, span: Any, first: int, end: int, scratch: int) -> None:
    """Heads ``first`` to ``end`` of a span of one token: heads of a group share a pass."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    group = a.heads // a.kv_heads
    head = first
    while head < end:
        count = step_size(min(end, (head // group + 1) * group) - head)
        call8(a.attend, arguments, span.pages, span.first, head, count, HEADS, span.start, scratch)
        head += count


@operation
def attend_cache(arguments: int, state: int, thread: int, threads: int) -> None:
    """Attend: the heads of single tokens have fixed shares, blocks of tokens are claimed."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    spans = spans_of(a, step)
    scratch = step.scratch + thread * step.scratch_step
    item, mine = 0, claim(arguments, step.turn)
    for number in range(step.span_count):
        span = spans[number]
        if span.tokens == 1:
            first, end = share(a.heads, thread, threads)
            attend_token(arguments, span, first, end, scratch)
            continue
        for head in range(a.heads):
            for token in range(0, span.tokens, CLAIMED_TOKENS):
                if item == mine:
                    attend_block(arguments, span, head, token, scratch)
                    mine = claim(arguments, step.turn)
                item += 1


@inner
def attend_block(arguments: int, span: Any, head: int, token: int, scratch: int) -> None:
    """Up to ``CLAIMED_TOKENS`` neighbouring tokens of one head."""
    a = carray(as_pointer(arguments), (1,), ATTEND)[0]
    end = min(span.tokens, token + CLAIMED_TOKENS)
    while token < end:
        size = step_size(end - token)
        call8(
            a.attend, arguments, span.pages, span.first + token, head, size, TOKENS,
            span.start + token, scratch,
        )  # fmt: skip
        token += size
