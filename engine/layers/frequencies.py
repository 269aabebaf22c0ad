"""Rotary frequencies: radians a position for each pair of dimensions, and how models stretch them.

All in float32 in the order of operations that models were trained and published with: a different
order moves an angle at position 8000 by 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def plain(base: float, dim: int) -> Tensor:
    """``base ** (-2i / dim)`` for i < dim / 2 (RoFormer, eq. 15): float32 [dim / 2]."""
    return 1.0 / _periods(base, dim)


def linear(base: float, dim: int, factor: float) -> Tensor:
    """Positions divided by ``factor`` (position interpolation, arXiv 2306.15595)."""
    return plain(base, dim) / factor


def dynamic(base: float, dim: int, factor: float, context: int, trained: int) -> Tensor:
    """The base grown for sequences of ``context`` tokens (dynamic NTK).

    The published form recomputes the base as a sequence grows, which leaves the cached keys at
    the old one. Here it is chosen once, for the longest sequence that will be run, so that every
    key of a sequence turns alike.
    """
    longest = max(context, trained)
    stretched = base * (factor * longest / trained - (factor - 1)) ** (dim / (dim - 2))
    return plain(stretched, dim)


def llama3(base: float, dim: int, factor: float, low: float, high: float, trained: int) -> Tensor:
    """Llama 3.1: long waves slowed by ``factor``, short ones kept, a ramp between.

    Args:
        base: of the plain frequencies.
        dim: dimensions that turn.
        factor: on the long waves.
        low: waves longer than ``trained / low`` are slowed.
        high: waves shorter than ``trained / high`` are kept.
        trained: context that the model was trained on before it was stretched.
    """
    frequencies = plain(base, dim)
    waves = 2 * math.pi / frequencies
    slowed = torch.where(waves > trained / low, frequencies / factor, frequencies)
    ramp = (trained / waves - low) / (high - low)
    between = (1 - ramp) * slowed / factor + ramp * slowed
    middle = (waves >= trained / high) & (waves <= trained / low)
    return torch.where(middle, between, slowed)


def yarn(
    base: float,
    dim: int,
    factor: float,
    trained: int,
    fast: float = 32.0,
    slow: float = 1.0,
    truncate: bool = True,
) -> Tensor:
    """YaRN, eq. 23: pairs that turn often are kept, those that turn rarely interpolated.

    Args:
        base: of the plain frequencies.
        dim: dimensions that turn.
        factor: new context over ``trained``.
        trained: context that the model was trained on before it was stretched.
        fast: turns over ``trained`` above which a pair is kept.
        slow: turns below which it is interpolated.
        truncate: round the bounds to whole pairs.
    """

    def pair_that_turns(times: float) -> float:
        return dim * math.log(trained / (times * 2 * math.pi)) / (2 * math.log(base))

    low, high = pair_that_turns(fast), pair_that_turns(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, dim - 1)
    if low == high:
        high += 0.001
    ramp = ((torch.arange(dim // 2, dtype=torch.float32) - low) / (high - low)).clamp(0, 1)
    periods = _periods(base, dim)
    kept = 1 - ramp
    return 1.0 / (factor * periods) * (1 - kept) + 1.0 / periods * kept


def divided(base: float, dim: int, factors: Sequence[float]) -> Tensor:
    """Each frequency divided by its own factor (LongRoPE; ``rope_freqs`` of GGUF files)."""
    return 1.0 / (torch.tensor(factors, dtype=torch.float32) * _periods(base, dim))


def yarn_sharpness(factor: float, weight: float = 1.0) -> float:
    """YaRN's factor on the cosines and sines: ``0.1 weight ln(factor) + 1`` (section 3.4)."""
    return 0.1 * weight * math.log(factor) + 1.0 if factor > 1 else 1.0


def longrope_sharpness(factor: float, trained: int) -> float:
    """LongRoPE's factor on the cosines and sines: ``sqrt(1 + ln(factor) / ln(trained))``."""
    return math.sqrt(1 + math.log(factor) / math.log(trained)) if factor > 1 else 1.0


def _periods(base: float, dim: int) -> Tensor:
    exponents = torch.arange(0, dim, 2, dtype=torch.int64).float() / dim
    return torch.pow(base, exponents)
