"""Grouped-query attention: projections, optional head norms, rotation, and the paged kernel.

What differs between families is data here: biases live in the projections, norms of queries and
keys are optional parts, window, soft cap and scale are the rule. A runner that fuses a step walks
the parts by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from engine.kernels.interface import AttentionRule, CacheShape, Kernels
from engine.layers.linear import Linear
from engine.layers.norm import Norm
from engine.layers.rotary import Rotary, apply_rope
from engine.layers.step import Step


class Mixer(Protocol):
    """What lets the tokens of a sequence see each other: attention of any kind."""

    @property
    def cache_shape(self) -> CacheShape:
        """What it keeps of a token."""
        ...

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]; writes the step's tokens into the cache."""
        ...


@dataclass(frozen=True, slots=True)
class Attention:
    """Multi-head attention with grouped keys and values (GQA, arXiv 2305.13245).

    Attributes:
        kernels: what attends.
        layer: index in the cache pool.
        heads, kv_heads, head_dim: ``head_dim`` need not be hidden / heads.
        qkv: rows are all query heads, then all key heads, then all value heads.
        out: [heads * head_dim] -> hidden.
        rule: scale, window, soft cap.
        rotary: None where a layer has no positions.
        q_norm, k_norm: act before the rotation, on each head, or with ``norm_whole`` on all heads
            of a token as one row.
        clip: queries, keys and values are clamped to ± this; None is off.
    """

    kernels: Kernels
    layer: int
    heads: int
    kv_heads: int
    head_dim: int
    qkv: Linear
    out: Linear
    rule: AttentionRule
    rotary: Rotary | None
    q_norm: Norm | None = None
    k_norm: Norm | None = None
    norm_whole: bool = False
    clip: float | None = None

    @property
    def cache_shape(self) -> CacheShape:
        """Keys and values of ``kv_heads``."""
        return CacheShape(self.kv_heads, self.head_dim, self.head_dim, window=self.rule.window)

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]; writes the step's tokens into the cache."""
        qkv = self.qkv(x)
        if self.clip is not None:
            qkv = qkv.clamp(-self.clip, self.clip)
        q_end = self.heads * self.head_dim
        k_end = q_end + self.kv_heads * self.head_dim
        q, k, v = qkv[:, :q_end], qkv[:, q_end:k_end], qkv[:, k_end:]
        q, k = self._placed(q, self.q_norm, step), self._placed(k, self.k_norm, step)
        v = v.reshape(len(v), self.kv_heads, self.head_dim)
        mixed = self.kernels.attend(self.layer, q, k, v, step.cache, step.batch, self.rule)
        return self.out(mixed.flatten(1))

    def _placed(self, x: Tensor, norm: Norm | None, step: Step) -> Tensor:
        """Normalised and rotated heads: [tokens, heads * head_dim] -> [tokens, heads, head_dim]."""
        if norm is not None and self.norm_whole:
            x = norm(x)
        x = x.reshape(len(x), -1, self.head_dim)
        if norm is not None and not self.norm_whole:
            x = norm(x)
        return x if self.rotary is None else apply_rope(x, *step.angles(self.rotary))
