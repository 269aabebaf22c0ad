"""GPTQ (arXiv 2210.17323): the error of each column is made good by the columns not yet rounded.

Columns are taken from the largest input to the smallest; the groups and their scales stand before
(searched), so that the stored order stays the file's own. What comes out is polished: one pass
cannot take back an early code, nor change a scale that later codes would rather have otherwise.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.library.recipes import Scheme
from engine.quantization.polishing import damped, polish
from engine.quantization.rounding import Rounded, limits, round_searched

_BLOCK = 128  # columns whose mutual corrections are made at once


def round_gptq(weight: Tensor, scheme: Scheme, dtype: torch.dtype, hessian: Tensor) -> Rounded:
    """Codes whose error in the layer's outputs is small.

    Args:
        weight: float [rows, columns].
        scheme: bits and group.
        dtype: of the stored scales.
        hessian: float32 [columns, columns], the mean of ``x xᵀ`` over the layer's inputs.
    """
    diagonal = hessian.diagonal().clone()
    scale = round_searched(weight, scheme, dtype, diagonal).scale
    order = diagonal.argsort(descending=True)
    held, factor = _factor(hessian[order][:, order])
    left = weight.float().T[order].contiguous()  # a column's values side by side
    codes = torch.empty(left.shape, dtype=torch.int8)
    groups = order // scheme.group
    exact = scale.float().T.contiguous()
    low, high = limits(scheme.bits)
    for first in range(0, len(left), _BLOCK):
        last = min(first + _BLOCK, len(left))
        wrong = torch.empty(last - first, left.shape[1])
        for at in range(first, last):
            step = exact[groups[at]]
            q = (left[at] / step).round_().clamp_(low, high)
            codes[at] = q
            error = (left[at] - q * step) / factor[at, at]
            left[at:last].addr_(factor[at, at:last], error, alpha=-1)
            wrong[at - first] = error
        left[last:].addmm_(factor[first:last, last:].T, wrong, alpha=-1)
    del left, factor
    back = order.argsort()
    once = Rounded(codes[back].T.contiguous(), scale)
    return polish(weight, once, scheme, held[back][:, back])


def _factor(hessian: Tensor) -> tuple[Tensor, Tensor]:
    """The hessian, damped until its inverse has a root, and that upper Cholesky factor."""
    times = 1.0
    while True:
        held = damped(hessian, times)
        root, failed = torch.linalg.cholesky_ex(held)
        if not int(failed):
            inverse = torch.cholesky_inverse(root)
            del root
            upper: Tensor
            upper, failed = torch.linalg.cholesky_ex(inverse, upper=True)
            if not int(failed):
                return held, upper
        times *= 10
