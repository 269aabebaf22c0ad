"""Products with packed weights: a few rows by reduction, many rows on the tensor cores.

Both read the canonical form as it is (``engine.weights``): nothing is dequantized in memory. Sums
are float32, and a group's scale and minimum act on sums where that is exact. Indices into weights
are 64 bits wide, for a matrix of a large vocabulary has more than 2**31 of them.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def multiply_rows_4(
    x,
    codes,
    scale,
    minimum,
    bias,
    y,
    count,
    rows,
    columns,
    x_stride,
    GROUP: tl.constexpr,
    HAS_MINIMUM: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Up to M rows of ``x`` by BLOCK_N rows of a 4-bit matrix; ``y`` is [count, rows]."""
    n, m = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N), tl.arange(0, M)
    is_row, is_input = n < rows, m < count
    groups: tl.constexpr = BLOCK_K // GROUP
    wide = n.to(tl.int64)
    total = tl.zeros([M, BLOCK_N], tl.float32)
    for k in range(0, columns, BLOCK_K):
        byte = k // 2 + tl.arange(0, BLOCK_K // 2)
        g = k // GROUP + tl.arange(0, groups)
        inside, is_group = byte < columns // 2, g < columns // GROUP
        at = codes + wide[:, None] * (columns // 2) + byte[None, :]
        q = tl.load(at, mask=is_row[:, None] & inside[None, :], other=0)
        source = x + m[:, None] * x_stride + 2 * byte[None, :]
        has_x = is_input[:, None] & inside[None, :]
        even = tl.load(source, mask=has_x, other=0.0).to(tl.float32)
        odd = tl.load(source + 1, mask=has_x, other=0.0).to(tl.float32)
        low, high = (q & 15).to(tl.float32), (q >> 4).to(tl.float32)
        if not HAS_MINIMUM:
            low, high = low - 8.0, high - 8.0
        part = low[None, :, :] * even[:, None, :] + high[None, :, :] * odd[:, None, :]
        part = tl.sum(tl.reshape(part, [M, BLOCK_N, groups, GROUP // 2]), axis=3)
        of_group = wide[:, None] * (columns // GROUP) + g[None, :]
        has_group = is_row[:, None] & is_group[None, :]
        s = tl.load(scale + of_group, mask=has_group, other=0.0).to(tl.float32)
        total += tl.sum(part * s[None, :, :], axis=2)
        if HAS_MINIMUM:
            least = tl.load(minimum + of_group, mask=has_group, other=0.0).to(tl.float32)
            sums = tl.sum(tl.reshape(even + odd, [M, groups, GROUP // 2]), axis=2)
            total += tl.sum(sums[:, None, :] * least[None, :, :], axis=2)
    if HAS_BIAS:
        total += tl.load(bias + n, mask=is_row, other=0.0).to(tl.float32)[None, :]
    out = y + m[:, None] * rows + n[None, :]
    tl.store(out, total.to(y.dtype.element_ty), mask=is_input[:, None] & is_row[None, :])


@triton.jit
def multiply_rows_8(
    x,
    codes,
    scale,
    bias,
    y,
    count,
    rows,
    columns,
    x_stride,
    GROUP: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """As ``multiply_rows_4`` for 8 bits; GROUP 0 is one scale for each row."""
    n, m = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N), tl.arange(0, M)
    is_row, is_input = n < rows, m < count
    wide = n.to(tl.int64)
    total = tl.zeros([M, BLOCK_N], tl.float32)
    for k in range(0, columns, BLOCK_K):
        column = k + tl.arange(0, BLOCK_K)
        inside = column < columns
        at = codes + wide[:, None] * columns + column[None, :]
        q = tl.load(at, mask=is_row[:, None] & inside[None, :], other=0).to(tl.float32)
        source = x + m[:, None] * x_stride + column[None, :]
        values = tl.load(source, mask=is_input[:, None] & inside[None, :], other=0.0)
        part = q[None, :, :] * values.to(tl.float32)[:, None, :]
        if GROUP == 0:
            total += tl.sum(part, axis=2)
        else:
            groups: tl.constexpr = BLOCK_K // GROUP
            g = k // GROUP + tl.arange(0, groups)
            has_group = is_row[:, None] & (g < columns // GROUP)[None, :]
            of_group = scale + wide[:, None] * (columns // GROUP) + g[None, :]
            s = tl.load(of_group, mask=has_group, other=0.0).to(tl.float32)
            part = tl.sum(tl.reshape(part, [M, BLOCK_N, groups, GROUP]), axis=3)
            total += tl.sum(part * s[None, :, :], axis=2)
    if GROUP == 0:
        total *= tl.load(scale + n, mask=is_row, other=0.0).to(tl.float32)[None, :]
    if HAS_BIAS:
        total += tl.load(bias + n, mask=is_row, other=0.0).to(tl.float32)[None, :]
    out = y + m[:, None] * rows + n[None, :]
    tl.store(out, total.to(y.dtype.element_ty), mask=is_input[:, None] & is_row[None, :])


@triton.jit
def multiply_matrix(
    x,
    codes,
    scale,
    minimum,
    bias,
    y,
    count,
    rows,
    columns,
    x_stride,
    group,
    BITS: tl.constexpr,
    HAS_MINIMUM: tl.constexpr,
    HAS_BIAS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    """Many rows of ``x`` by a packed matrix; a tile's columns lie in one group."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    is_row, is_input, wide = n < rows, m < count, n.to(tl.int64)
    total = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, columns, BLOCK_K):
        column = k + tl.arange(0, BLOCK_K)
        source = x + m.to(tl.int64)[:, None] * x_stride + column[None, :]
        a = tl.load(source, mask=is_input[:, None] & (column < columns)[None, :], other=0.0)
        if BITS == 4:
            byte = k // 2 + tl.arange(0, BLOCK_K // 2)
            at = codes + wide[:, None] * (columns // 2) + byte[None, :]
            two = tl.load(at, mask=is_row[:, None] & (byte < columns // 2)[None, :], other=0)
            q = tl.reshape(tl.join(two & 15, two >> 4), [BLOCK_N, BLOCK_K]).to(tl.float32)
            if not HAS_MINIMUM:
                q -= 8.0
        else:
            at = codes + wide[:, None] * columns + column[None, :]
            q = tl.load(at, mask=is_row[:, None] & (column < columns)[None, :], other=0)
            q = q.to(tl.float32)
        of_group = wide * (columns // group) + k // group
        w = q * tl.load(scale + of_group, mask=is_row, other=0.0).to(tl.float32)[:, None]
        if HAS_MINIMUM:
            w += tl.load(minimum + of_group, mask=is_row, other=0.0).to(tl.float32)[:, None]
        total = tl.dot(a, tl.trans(w.to(a.dtype)), total, input_precision="ieee")
    if HAS_BIAS:
        total += tl.load(bias + n, mask=is_row, other=0.0).to(tl.float32)[None, :]
    out = y + m.to(tl.int64)[:, None] * rows + n[None, :]
    tl.store(out, total.to(y.dtype.element_ty), mask=is_input[:, None] & is_row[None, :])
