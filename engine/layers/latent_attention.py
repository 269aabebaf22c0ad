"""Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1).

Keys and values of all heads come from one small latent vector a token, plus one rotary part that
the heads share: only these are cached. The projections that would expand the latent are absorbed:
into the query on one side, into the output on the other, so that attention runs in the latent
space, as if there were one wide key-value head.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.kernels.interface import AttentionRule, CacheShape, Kernels
from engine.layers.linear import Linear
from engine.layers.norm import Norm
from engine.layers.rotary import Rotary, apply_rope
from engine.layers.step import Step


@dataclass(frozen=True, slots=True)
class LatentQuery:
    """Queries: straight from the hidden state, or through a latent of their own."""

    up: Linear
    down: Linear | None = None
    norm: Norm | None = None

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> [tokens, heads * (plain + turning)]."""
        y = x if self.down is None else self.down(x)
        return self.up(y if self.norm is None else self.norm(y))


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Attention over cached latents.

    Attributes:
        kernels: what attends.
        layer: index in the cache pool.
        heads: query heads.
        latent: values of the latent.
        query: makes [tokens, heads * (plain + turning)], each head's turning part last.
        down: hidden -> latent + turning.
        norm: on the latent.
        key_up: [heads, plain, latent], in the kernels' dtype.
        value_up: [heads, value, latent], in the kernels' dtype.
        out: [heads * value] -> hidden.
        rule: scale.
        rotary: turns the turning parts.
    """

    kernels: Kernels
    layer: int
    heads: int
    latent: int
    query: LatentQuery
    down: Linear
    norm: Norm
    key_up: Tensor
    value_up: Tensor
    out: Linear
    rule: AttentionRule
    rotary: Rotary

    @property
    def cache_shape(self) -> CacheShape:
        """The latent and the rotary part; values are the latent itself."""
        return CacheShape(1, self.latent + self._turning, self.latent, values_in_keys=True)

    @property
    def _turning(self) -> int:
        return 2 * len(self.rotary.frequencies)

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]; writes the step's tokens into the cache."""
        tokens, angles = len(x), step.angles(self.rotary)
        down = self.down(x)
        latent = self.norm(down[:, : self.latent]).unsqueeze(1)
        turned = apply_rope(down[:, self.latent :].unsqueeze(1), *angles)
        keys = torch.cat((latent, turned), dim=-1)
        query = self.query(x).view(tokens, self.heads, -1)
        plain, turning = query[..., : -self._turning], query[..., -self._turning :]
        absorbed = torch.einsum("thp,hpl->thl", plain, self.key_up)
        queries = torch.cat((absorbed, apply_rope(turning, *angles)), dim=-1)
        mixed = self.kernels.attend(
            self.layer, queries, keys, latent, step.cache, step.batch, self.rule
        )
        values = torch.einsum("thl,hvl->thv", mixed, self.value_up)
        return self.out(values.reshape(tokens, -1))
