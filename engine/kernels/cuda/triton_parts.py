"""What stands between the products: norms with the residual's sum, heads into place, the gate.

All arithmetic is float32; what leaves is rounded once.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def normalise(
    x,
    added,
    weight,
    bias,
    y,
    columns,
    x_stride,
    y_stride,
    eps,
    factor,
    ADDS: tl.constexpr,
    CENTRED: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """``y = norm(x)`` of one row; with ADDS first ``x += added * factor``, which stays in ``x``."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    at = x + row * x_stride + column
    values = tl.load(at, mask=inside, other=0.0).to(tl.float32)
    if ADDS:
        more = tl.load(added + row * columns + column, mask=inside, other=0.0).to(tl.float32)
        values += more * factor
        tl.store(at, values, mask=inside)
    if CENTRED:
        values -= tl.sum(values, axis=0) / columns
        values = tl.where(inside, values, 0.0)
    values *= 1.0 / tl.sqrt(tl.sum(values * values, axis=0) / columns + eps)
    values *= tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        values += tl.load(bias + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * y_stride + column, values.to(y.dtype.element_ty), mask=inside)


@triton.jit
def store_head(x, at, of_scale, d, inside, BYTES: tl.constexpr):
    """One head of one token into its slot: as it is, or as bytes with their scale."""
    if BYTES:
        scale = tl.max(tl.where(inside, tl.abs(x), 0.0), axis=0) / 127.0
        steps = x / tl.maximum(scale, 1.1754944e-38)
        # adding 1.5 * 2**23 leaves no bits for fractions: rounds to nearest, halves to even
        codes = (steps + 12582912.0) - 12582912.0
        tl.store(at + d, codes.to(tl.int8), mask=inside)
        tl.store(of_scale, scale)
    else:
        tl.store(at + d, x.to(at.dtype.element_ty), mask=inside)


@triton.jit
def place_heads(
    qkv,
    cos,
    sin,
    q_norm,
    k_norm,
    slots,
    q,
    keys,
    values,
    key_scale,
    value_scale,
    stride,
    eps,
    HEADS: tl.constexpr,
    KV_HEADS: tl.constexpr,
    DIM: tl.constexpr,
    HALF: tl.constexpr,
    NORMS: tl.constexpr,
    BYTES: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """One head of one token: norm, rotation, then to the queries or into its slot of the cache.

    HALF is half the dimensions that turn; 0 where there are no positions. A slot below 0 is no
    token's: nothing is written.
    """
    token, head = tl.program_id(0).to(tl.int64), tl.program_id(1)
    d = tl.arange(0, BLOCK)
    inside = d < DIM
    source = qkv + token * stride + head * DIM
    x = tl.load(source + d, mask=inside, other=0.0).to(tl.float32)
    is_query, is_value = head < HEADS, head >= HEADS + KV_HEADS
    slot = tl.load(slots + token)
    if not is_value:
        size = 1.0
        if NORMS:
            size = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / DIM + eps)
            weight = tl.load(q_norm + d, mask=inside & is_query, other=0.0)
            weight += tl.load(k_norm + d, mask=inside & (not is_query), other=0.0)
            x = x * size * weight.to(tl.float32)
        if HALF > 0:
            turns = d < 2 * HALF
            mate = tl.where(d < HALF, d + HALF, d - HALF)
            other = tl.load(source + mate, mask=turns, other=0.0).to(tl.float32)
            if NORMS:
                weight = tl.load(q_norm + mate, mask=turns & is_query, other=0.0)
                weight += tl.load(k_norm + mate, mask=turns & (not is_query), other=0.0)
                other = other * size * weight.to(tl.float32)
            angle = token * HALF + d % HALF
            c = tl.load(cos + angle, mask=turns, other=1.0)
            s = tl.load(sin + angle, mask=turns, other=0.0)
            x = x * c + tl.where(d < HALF, -other, other) * s
    if is_query:
        at = q + (token * HEADS + head) * DIM
        tl.store(at + d, x.to(q.dtype.element_ty), mask=inside)
    elif slot >= 0:
        row = slot * KV_HEADS + (head - HEADS) % KV_HEADS
        if is_value:
            store_head(x, values + row * DIM, value_scale + row, d, inside, BYTES)
        else:
            store_head(x, keys + row * DIM, key_scale + row, d, inside, BYTES)


@triton.jit
def gate(
    x,
    y,
    columns,
    alpha,
    limit,
    KIND: tl.constexpr,
    GATED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """``activation(first half) * second half`` of a row, or ``activation(row)``.

    The clamped gate (gpt-oss) is ``a * sigmoid(alpha * a) * (second half + 1)``, with limits.
    """
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < columns
    source = x + row * columns * (2 if GATED else 1) + column
    a = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    if KIND == "silu":
        a = a * tl.sigmoid(a)
    elif KIND == "gelu":
        a = 0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476))
    elif KIND == "gelu_tanh":
        a = a * tl.sigmoid(1.5957691216057308 * (a + 0.044715 * a * a * a))
    elif KIND == "relu":
        a = tl.maximum(a, 0.0)
    elif KIND == "clamped":
        a = tl.minimum(a, limit)
        a = a * tl.sigmoid(alpha * a)
    else:
        tl.static_assert(KIND == "relu_squared")
        a = tl.maximum(a, 0.0)
        a = a * a
    if GATED:
        up = tl.load(source + columns, mask=inside, other=0.0).to(tl.float32)
        if KIND == "clamped":
            up = tl.minimum(tl.maximum(up, -limit), limit) + 1.0
        a = a * up
    tl.store(y + row * columns + column, a.to(y.dtype.element_ty), mask=inside)
