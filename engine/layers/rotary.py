"""Rotary positions: a table of cosines and sines a step, and the rotation of heads by it.

One layout serves all families, the half-split one: dimension i turns with dimension i + n/2.
Checkpoints that interleave the pairs (GLM, DeepSeek, llama-type GGUF files) have the rows of their
query and key projections reordered when they are read (``half_split_order``); the scores, being
sums over the head's dimensions, do not see the difference.

Angles are float32: bfloat16 holds eight bits of a position, so that tokens 8001 and 8002 would
stand in the same place. The frequencies are never cast with a model's weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Rotary:
    """What turns the heads of some layers.

    Attributes:
        frequencies: float32 [rotary_dim / 2], radians a position (``frequencies.py``).
        factor: on cosine and sine; YaRN and LongRoPE sharpen the scores with it.
    """

    frequencies: Tensor
    factor: float = 1.0

    def tables(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Cosine and sine for int64 ``positions`` [tokens]: float32 [tokens, rotary_dim / 2]."""
        angles = positions.unsqueeze(1).float() * self.frequencies
        return angles.cos() * self.factor, angles.sin() * self.factor


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate query or key heads by their positions (RoFormer, eq. 34; half-split layout).

    Args:
        x: [tokens, heads, head_dim], any float dtype.
        cos: float32 [tokens, rotary_dim / 2]; dimensions past ``rotary_dim`` pass unchanged.
        sin: as ``cos``.

    Returns:
        Same shape and dtype as ``x``; ``x`` is not changed.
    """
    half = cos.shape[-1]
    first, second = x[..., :half].float(), x[..., half : 2 * half].float()
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
    if 2 * half == x.shape[-1]:
        return turned.to(x.dtype)
    return torch.cat((turned.to(x.dtype), x[..., 2 * half :]), dim=-1)


def half_split_order(heads: int, head_dim: int, rotary_dim: int, offset: int = 0) -> Tensor:
    """Rows of a projection in half-split order, taken from one with interleaved pairs.

    Args:
        heads: heads in the projection.
        head_dim: rows a head.
        rotary_dim: rows of a head that turn.
        offset: of the turning rows inside the head.

    Returns:
        int64 [heads * head_dim], an index for ``pick_rows``.
    """
    head = torch.arange(head_dim)
    turning = head[offset : offset + rotary_dim].view(-1, 2).t().flatten()
    head = torch.cat((head[:offset], turning, head[offset + rotary_dim :]))
    return (torch.arange(heads).unsqueeze(1) * head_dim + head).flatten()
