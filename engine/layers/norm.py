"""Normalisations: over the last dimension, or over each run of it as long as the weight.

Sums are float32 whatever the activations are; the input is never changed. Gemma's ``1 + w`` is
folded into the weight when it is read, in float32, so that all families share one kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.kernels.interface import Kernels


class Norm(Protocol):
    """[…, features] -> the same shape, in the kernels' dtype."""

    def __call__(self, x: Tensor) -> Tensor:
        """Normalise ``x`` without changing it."""
        ...


@dataclass(frozen=True, slots=True)
class RmsNorm:
    """``x / sqrt(mean(x²) + eps) * weight`` (RMSNorm, eq. 4).

    Attributes:
        kernels: what normalises.
        weight: float32 [features].
        eps: added to the mean square.
        leads_to_sum: the result goes into the residual sum, not into a layer. Gemma 3's exceeds
            float16's range there, so it stays float32 where the activations are float16.
    """

    kernels: Kernels
    weight: Tensor
    eps: float
    leads_to_sum: bool = False

    def __call__(self, x: Tensor) -> Tensor:
        """Normalise the last dimension of ``x``."""
        if self.leads_to_sum and self.kernels.dtype is torch.float16:
            return F.rms_norm(x.float(), self.weight.shape, self.weight, self.eps)
        return self.kernels.rms_norm(x, self.weight, self.eps)


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """``(x - mean) / sqrt(variance + eps) * weight + bias`` over the last dimension.

    Attributes:
        kernels: whose dtype the result takes.
        weight: float32 [features], or [heads, head_dim] where each head has its own.
        bias: as ``weight``, or None.
        eps: added to the variance.
    """

    kernels: Kernels
    weight: Tensor
    bias: Tensor | None
    eps: float

    def __call__(self, x: Tensor) -> Tensor:
        """Normalise the last dimension of ``x``."""
        y = F.layer_norm(x.float(), self.weight.shape[-1:], eps=self.eps) * self.weight
        return (y if self.bias is None else y + self.bias).to(self.kernels.dtype)
