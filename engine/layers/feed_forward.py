"""Feed-forward layers: the gated kind that nearly all families have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.kernels.plan import FeedForwardPlan, Gate
from engine.layers.linear import Linear


class UnknownPart(Exception):
    """A part that has no description; caught where the description is asked for."""


class FeedForward(Protocol):
    """What works on each token alone."""

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]."""
        ...


class Activation(StrEnum):
    """The non-linearity, by name, so that a fused kernel can tell which it is."""

    SILU = "silu"
    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    RELU = "relu"
    RELU_SQUARED = "relu_squared"


ACTIVATIONS: Mapping[Activation, Callable[[Tensor], Tensor]] = {
    Activation.SILU: F.silu,
    Activation.GELU: F.gelu,
    Activation.GELU_TANH: partial(F.gelu, approximate="tanh"),
    Activation.RELU: torch.relu,
    Activation.RELU_SQUARED: lambda x: torch.relu(x).square(),
}


@dataclass(frozen=True, slots=True)
class GatedFeedForward:
    """``down(activation(gate(x)) * up(x))`` (GLU variants, arXiv 2002.05202).

    Attributes:
        gate_up: rows are all gates, then all ups.
        down: intermediate -> hidden.
        activation: on the gate.
    """

    gate_up: Linear
    down: Linear
    activation: Activation

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(ACTIVATIONS[self.activation](gate) * up)


@dataclass(frozen=True, slots=True)
class ClampedFeedForward:
    """``down((up(x) + 1) * gate(x) * sigmoid(alpha * gate(x)))``, both clamped (gpt-oss).

    Attributes:
        gate_up: rows are all gates, then all ups.
        down: intermediate -> hidden.
        alpha: sharpness of the sigmoid.
        limit: gates are at most this, ups at most this in size.
    """

    gate_up: Linear
    down: Linear
    alpha: float
    limit: float

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        gate, up = gate.clamp(max=self.limit), up.clamp(-self.limit, self.limit)
        return self.down((up + 1) * gate * torch.sigmoid(self.alpha * gate))


@dataclass(frozen=True, slots=True)
class PlainFeedForward:
    """``down(activation(up(x)))``."""

    up: Linear
    down: Linear
    activation: Activation

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, hidden] -> [tokens, hidden]."""
        return self.down(ACTIVATIONS[self.activation](self.up(x)))


def feed_forward_plan(layer: FeedForward) -> FeedForwardPlan:
    """A feed-forward in the kernels' terms.

    Raises:
        UnknownPart: it is of a kind that no plan describes.
    """
    if isinstance(layer, GatedFeedForward):
        gate = Gate(layer.activation.value)
        return FeedForwardPlan(layer.gate_up.plan(), layer.down.plan(), gate, gated=True)
    if isinstance(layer, PlainFeedForward):
        gate = Gate(layer.activation.value)
        return FeedForwardPlan(layer.up.plan(), layer.down.plan(), gate, gated=False)
    if isinstance(layer, ClampedFeedForward):
        up, down = layer.gate_up.plan(), layer.down.plan()
        return FeedForwardPlan(up, down, Gate.CLAMPED, True, layer.alpha, layer.limit)
    raise UnknownPart(type(layer).__name__)
