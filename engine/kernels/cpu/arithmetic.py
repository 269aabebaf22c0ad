"""Scalar functions that operations are made of; LLVM vectorizes the loops around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.kernels.cpu.pointers import bits_to_float, float_to_bits, inner, nearest
from engine.kernels.cpu.tables import GELU, GELU_TANH, RELU_SQUARED, SILU

LOG2E = np.float32(1.4426950408889634)
LN2_HIGH = np.float32(0.693359375)
LN2_LOW = np.float32(-2.12194440e-4)


@inner
def share(items: int, thread: int, threads: int) -> tuple[int, int]:
    """First and end of a thread's part of ``items``."""
    return items * thread // threads, items * (thread + 1) // threads


@inner
def exponential(x: Any) -> Any:
    """Exp of a float32 within 2e-7 relative, 0 below -87 (Cephes' polynomial)."""
    x = min(max(x, np.float32(-87.0)), np.float32(88.0))
    n = nearest(x * LOG2E)
    f = np.float32(n)
    r = x - f * LN2_HIGH - f * LN2_LOW
    p = np.float32(1.9875691500e-4)
    p = p * r + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    p = p * r * r + r + np.float32(1.0)
    return bits_to_float(np.int32(float_to_bits(p) + (n << np.int32(23))))


@inner
def hyperbolic_tangent(x: Any) -> Any:
    """Tanh of a float32."""
    return np.float32(1.0) - np.float32(2.0) / (exponential(x + x) + np.float32(1.0))


@inner
def error_function(x: Any) -> Any:
    """Erf of a float32 within 1.5e-7 (Abramowitz & Stegun 7.1.26)."""
    size = abs(x)
    t = np.float32(1) / (np.float32(1) + np.float32(0.3275911) * size)
    p = np.float32(1.061405429) * t - np.float32(1.453152027)
    p = p * t + np.float32(1.421413741)
    p = p * t - np.float32(0.284496736)
    p = p * t + np.float32(0.254829592)
    value = np.float32(1) - p * t * exponential(-size * size)
    return value if x >= np.float32(0) else -value


@inner
def silu(x: Any) -> Any:
    """``x / (1 + exp(-x))``."""
    return x / (np.float32(1) + exponential(-x))


@inner
def gelu_tanh(x: Any) -> Any:
    """GELU by its approximation with tanh, written with one exponential."""
    inside = np.float32(1.5957691216) * (x + np.float32(0.044715) * x * x * x)
    return x / (np.float32(1) + exponential(-inside))


@inner
def gelu(x: Any) -> Any:
    """GELU by the error function."""
    half = np.float32(0.5) * x
    return half + half * error_function(x * np.float32(0.70710678))


@inner
def activate(x: Any, kind: int) -> None:
    """Apply the non-linearity ``kind`` to an array in place; one loop each: all vectorize."""
    zero = np.float32(0)
    if kind == SILU:
        for i in range(x.size):
            x[i] = silu(x[i])
    elif kind == GELU_TANH:
        for i in range(x.size):
            x[i] = gelu_tanh(x[i])
    elif kind == GELU:
        for i in range(x.size):
            x[i] = gelu(x[i])
    elif kind == RELU_SQUARED:
        for i in range(x.size):
            x[i] = max(x[i], zero) * max(x[i], zero)
    else:
        for i in range(x.size):
            x[i] = max(x[i], zero)
