"""Codes and scales improved in turns, by what is left of the error in the layer's outputs.

The error of a row is ``(w - q) H (w - q)``. Along one scale or one code it is a parabola, so each
step takes its lowest point that can be stored, and the error never grows (coordinate descent).
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.library.recipes import Scheme
from engine.quantization.rounding import Rounded, limits, round_searched, storable

_ROUNDS = 2
_SHRUNK = 0.4  # of what two columns have in common: a short text tells more of it than there is
_FLOOR = 1e-3  # of the mean diagonal: a column that the text never used still counts a little


def damped(hessian: Tensor, times: float = 1.0) -> Tensor:
    """The hessian on its way to its diagonal; ``times`` the floor where that is too little.

    Products of two columns over some thousand tokens are partly chance, and partly that text's
    own; their squares are neither. Shrinkage towards the diagonal (Ledoit and Wolf 2004; Schäfer
    and Strimmer 2005) gives up the share that does not come again in other texts.
    """
    found = hessian * (1 - _SHRUNK)
    diagonal = hessian.diagonal()
    floor = times * _FLOOR * (float(diagonal.mean()) or 1.0)
    found.diagonal().add_(diagonal * _SHRUNK + floor)
    return found


def round_polished(weight: Tensor, scheme: Scheme, dtype: torch.dtype, hessian: Tensor) -> Rounded:
    """Searched scales, then polished (see there).

    Args:
        weight: float [rows, columns].
        scheme: bits and group.
        dtype: of the stored scales.
        hessian: float32 [columns, columns], the mean of ``x xᵀ`` over the layer's inputs.
    """
    searched = round_searched(weight, scheme, dtype, hessian.diagonal())
    return polish(weight, searched, scheme, damped(hessian))


def polish(weight: Tensor, rounded: Rounded, scheme: Scheme, hessian: Tensor) -> Rounded:
    """A group's scale, then its codes, then the next group; all groups some times.

    Args:
        weight: float [rows, columns].
        rounded: of it.
        scheme: bits and group.
        hessian: float32 [columns, columns], positive definite.
    """
    codes = rounded.codes.T.contiguous()  # a column's values side by side
    scales = rounded.scale.T.contiguous()
    left = (weight.float() - rounded.weight).T.contiguous()
    for _ in range(_ROUNDS):
        for group in range(len(scales)):
            at = slice(group * scheme.group, (group + 1) * scheme.group)
            own, slope = hessian[at, at], hessian[at] @ left
            before = codes[at].float()
            scale = scales[group].float()
            left[at] += before * scale
            scales[group] = _scale(before, scales[group], own, slope)
            step = scales[group].float()
            slope -= own @ (before * (step - scale))
            after = _codes(before, step, own, slope, scheme.bits)
            left[at] -= after * step
            codes[at] = after.to(torch.int8)
    return Rounded(codes.T.contiguous(), scales.T.contiguous())


def _scale(codes: Tensor, scale: Tensor, own: Tensor, slope: Tensor) -> Tensor:
    """The scale of least error for these codes, in its stored type; the old one where that is less.

    Args:
        codes: float32 [group, rows].
        scale: [rows], the stored type.
        own: float32 [group, group], of the hessian.
        slope: float32 [group, rows], ``H (w - q)``.
    """
    now = scale.float()
    steep = (codes * (own @ codes)).sum(0)
    pull = (codes * slope).sum(0)
    wished = storable(now + pull / steep.clamp(1e-30), scale.dtype)
    moved = wished.float() - now
    return torch.where(moved * (2 * pull - moved * steep) > 0, wished, scale)


def _codes(codes: Tensor, step: Tensor, own: Tensor, slope: Tensor, bits: int) -> Tensor:
    """Each column's codes of least error while the others stay; ``slope`` is used up."""
    low, high = limits(bits)
    found = codes.clone()
    for column in range(len(found)):
        wished = slope[column] / (step * own[column, column])
        wished = wished.add_(found[column]).round_().clamp_(low, high)
        later = slice(column + 1, None)
        slope[later].addr_(own[column, later], (wished - found[column]) * step, alpha=-1)
        found[column] = wished
    return found
