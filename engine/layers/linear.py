"""Linear maps and the embedding over packed weights.

Weights that take the same input are laid end to end (queries, keys and values; gate and up) and
joined into one matrix where they have the same form: one pass over the input instead of three. A
file may hold them in different forms (a ``Q4_K_M`` file keeps values in more bits than queries);
then a ``Linear`` keeps consecutive blocks of rows, and its output is theirs side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.kernels.interface import Kernels, Packed
from engine.kernels.plan import LinearPlan
from engine.weights import Grouped4, Grouped8, Weight


@dataclass(frozen=True, slots=True)
class Linear:
    """``x @ weight.T + bias``.

    Attributes:
        kernels: what multiplies.
        weights: consecutive blocks of output rows; usually one.
        bias: [rows] over all blocks, or None.
    """

    kernels: Kernels
    weights: tuple[Packed, ...]
    bias: Tensor | None = None

    @property
    def rows(self) -> int:
        """Outputs of all blocks."""
        return sum(weight.shape[0] for weight in self.weights)

    def __call__(self, x: Tensor) -> Tensor:
        """[tokens, columns] -> [tokens, rows]."""
        if len(self.weights) == 1:
            return self.kernels.linear(x, self.weights[0], self.bias)
        y = torch.cat([self.kernels.linear(x, weight) for weight in self.weights], dim=-1)
        return y if self.bias is None else y + self.bias.to(y.dtype)

    def plan(self) -> LinearPlan:
        """The same for the kernels."""
        return LinearPlan(self.weights, self.bias)


@dataclass(frozen=True, slots=True)
class Embedding:
    """Rows of a matrix by token id, times ``scale``, in float32: the start of the residual."""

    kernels: Kernels
    weight: Packed
    scale: float = 1.0

    def __call__(self, ids: Tensor) -> Tensor:
        """int64 [tokens] -> float32 [tokens, hidden]."""
        x = self.kernels.embed(ids, self.weight).float()
        return x if self.scale == 1.0 else x * self.scale


def join_rows(weights: Sequence[Weight]) -> list[Weight]:
    """Weights end to end, neighbours of the same form joined into one."""
    joined: list[list[Weight]] = []
    for weight in weights:
        if joined and _form(joined[-1][0]) == _form(weight):
            joined[-1].append(weight)
        else:
            joined.append([weight])
    return [_stacked(run) for run in joined]


def _form(weight: Weight) -> tuple[object, ...]:
    """Equal for weights that one matrix can hold."""
    if isinstance(weight, Grouped4):
        return "4", weight.group, weight.minimum is None, weight.scale.dtype
    if isinstance(weight, Grouped8):
        return "8", weight.group, weight.scale.dtype
    return ("dense", weight.dtype)


def _stacked(run: list[Weight]) -> Weight:
    if len(run) == 1:
        return run[0]
    fours = [weight for weight in run if isinstance(weight, Grouped4)]
    if fours:
        minima = [weight.minimum for weight in fours if weight.minimum is not None]
        return Grouped4(
            torch.cat([weight.codes for weight in fours]),
            torch.cat([weight.scale for weight in fours]),
            torch.cat(minima) if minima else None,
            fours[0].group,
        )
    eights = [weight for weight in run if isinstance(weight, Grouped8)]
    if eights:
        return Grouped8(
            torch.cat([weight.codes for weight in eights]),
            torch.cat([weight.scale for weight in eights]),
            eights[0].group,
        )
    return torch.cat([weight for weight in run if isinstance(weight, Tensor)])
