"""Weights to codes and scales: by the largest value, or by the least error.

``w = scale * q`` with q in -8…7 or -128…127. A scale may be negative: the value of the largest
magnitude then takes the one code that the positive side lacks, as GGUF's Q4_0 has it. Scales are
rounded to the type that they are stored in before codes are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.library.recipes import Scheme

_CHUNK = 1 << 20  # values at a time: what is tried for them fits 32 MiB
_FACTORS = torch.linspace(0.72, 1.08, 13)
_TELLING_ROWS = 256
_REFINED = 3  # alternations of best scale and best codes


@dataclass(frozen=True, slots=True)
class Rounded:
    """A matrix as it will be stored.

    Attributes:
        codes: int8 [rows, columns].
        scale: [rows, columns / group], the stored type.
    """

    codes: Tensor
    scale: Tensor

    @property
    def weight(self) -> Tensor:
        """float32 [rows, columns]."""
        rows, columns = self.codes.shape
        q = self.codes.view(rows, self.scale.shape[1], -1).float()
        return (q * self.scale.float().unsqueeze(-1)).view(rows, columns)


def limits(bits: int) -> tuple[int, int]:
    """The smallest and the largest code."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def round_nearest(weight: Tensor, scheme: Scheme, dtype: torch.dtype) -> Rounded:
    """Scales by the largest magnitude of each group, codes by rounding.

    Args:
        weight: float [rows, columns].
        scheme: bits and group.
        dtype: of the stored scales.
    """
    _, high = limits(scheme.bits)
    codes, scales = [], []
    for some in _chunks(weight):
        groups = _grouped(some, scheme)
        scale = storable(groups.abs().amax(-1) / (high + 0.5), dtype)
        codes.append(_codes(groups, scale, scheme.bits).view(some.shape))
        scales.append(scale)
    return Rounded(torch.cat(codes), torch.cat(scales))


def round_searched(
    weight: Tensor, scheme: Scheme, dtype: torch.dtype, importance: Tensor | None = None
) -> Rounded:
    """Scales of the least squared error.

    Candidates around the largest value, of either sign; the best is then improved in turns: the
    scale that fits the codes best in closed form, the codes that fit that scale.

    Args:
        weight: float [rows, columns].
        scheme: bits and group.
        dtype: of the stored scales.
        importance: float32 [columns], how much a column's error counts: the mean square of its
            inputs. None: all alike.
    """
    if importance is None:
        importance = torch.ones(weight.shape[1])
    # a column that the text never used still counts a little
    per_group = (importance + importance.mean() * 1e-3).view(1, -1, scheme.group)
    codes, scales = [], []
    for some in _chunks(weight):
        groups = _grouped(some, scheme)
        scale = _best_scale(groups, per_group, scheme.bits, dtype)
        codes.append(_codes(groups, scale, scheme.bits).view(some.shape))
        scales.append(scale)
    return Rounded(torch.cat(codes), torch.cat(scales))


def storable(scale: Tensor, dtype: torch.dtype) -> Tensor:
    """The scale in its stored type; what would be zero there becomes the smallest normal number."""
    stored = scale.to(dtype)
    return torch.where(stored.abs() < torch.finfo(dtype).tiny, torch.finfo(dtype).tiny, stored).to(
        dtype
    )


def error_of(
    weight: Tensor,
    rounded: Rounded,
    importance: Tensor | None = None,
    products: Tensor | None = None,
) -> float:
    """The root of the relative squared error, 0 to about 1.

    Args:
        weight: float [rows, columns].
        rounded: of it.
        importance: float32 [columns], the mean square of the inputs: the error is the outputs',
            were no two columns' inputs alike.
        products: float32 [columns, columns], the mean of ``x xᵀ`` over the inputs: the error is
            the outputs'. Some rows tell it.
    """
    if products is not None:
        every = max(1, len(weight) // _TELLING_ROWS)
        some = weight[::every].float()
        mine = some - Rounded(rounded.codes[::every], rounded.scale[::every]).weight
        wrong, total = (float(((x @ products) * x).sum()) for x in (mine, some))
        return (wrong / total) ** 0.5 if total > 0 else 0.0
    wrong = total = 0.0
    counts = 1.0 if importance is None else importance
    for at, some in _numbered(weight):
        rows = slice(at, at + len(some))
        mine = some - Rounded(rounded.codes[rows], rounded.scale[rows]).weight
        wrong += float((mine.square() * counts).sum())
        total += float((some.square() * counts).sum())
    return (wrong / total) ** 0.5 if total > 0 else 0.0


def _best_scale(groups: Tensor, importance: Tensor, bits: int, dtype: torch.dtype) -> Tensor:
    low, _ = limits(bits)
    largest = groups.gather(-1, groups.abs().argmax(-1, keepdim=True)).squeeze(-1)
    first = largest / low  # the largest takes the lowest code
    best = storable(first, dtype)
    least = _error(groups, best, importance, bits)
    for factor in _FACTORS.tolist():
        for sign in (1.0, -1.0):
            scale = storable(first * (sign * factor), dtype)
            best, least = _better(groups, best, least, scale, importance, bits)
    for _ in range(_REFINED):
        q = _codes(groups, best, bits).float()
        fitted = (importance * groups * q).sum(-1) / (importance * q.square()).sum(-1).clamp(1e-30)
        best, least = _better(groups, best, least, storable(fitted, dtype), importance, bits)
    return best


def _better(
    groups: Tensor, best: Tensor, least: Tensor, scale: Tensor, importance: Tensor, bits: int
) -> tuple[Tensor, Tensor]:
    error = _error(groups, scale, importance, bits)
    better = error < least
    return torch.where(better, scale, best), torch.where(better, error, least)


def _error(groups: Tensor, scale: Tensor, importance: Tensor, bits: int) -> Tensor:
    exact = scale.float().unsqueeze(-1)
    low, high = limits(bits)
    q = (groups / exact).round_().clamp_(low, high)
    return (q.mul_(exact).sub_(groups).square_() * importance).sum(-1)


def _codes(groups: Tensor, scale: Tensor, bits: int) -> Tensor:
    low, high = limits(bits)
    return (groups / scale.float().unsqueeze(-1)).round_().clamp_(low, high).to(torch.int8)


def _grouped(weight: Tensor, scheme: Scheme) -> Tensor:
    return weight.float().reshape(weight.shape[0], -1, scheme.group)


def _chunks(weight: Tensor) -> Iterator[Tensor]:
    for _, some in _numbered(weight):
        yield some


def _numbered(weight: Tensor) -> Iterator[tuple[int, Tensor]]:
    step = max(1, _CHUNK // weight.shape[1])
    for at in range(0, weight.shape[0], step):
        yield at, weight[at : at + step].float()
