"""GPTQ (arXiv 2210.17323): the error of each column is made good by the columns not yet rounded.

Columns are taken from the largest input to the smallest; the groups and their scales stand before
(searched), so that the stored order stays the file's own.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.library.recipes import Scheme
from engine.quantization.rounding import Rounded, limits, round_searched

_BLOCK = 128  # columns whose mutual corrections are made at once
_DAMPING = 0.02  # of the mean diagonal: what a short text says of rare directions is noise


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
    factor = _factor(hessian[order][:, order])
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
    return Rounded(codes[order.argsort()].T.contiguous(), scale)


def _factor(hessian: Tensor) -> Tensor:
    """The upper Cholesky factor of the inverse; damped until it exists."""
    mean = float(hessian.diagonal().mean()) or 1.0
    damping = _DAMPING * mean
    while True:
        damped = hessian.clone()
        damped.diagonal().add_(damping)
        root, failed = torch.linalg.cholesky_ex(damped)
        if not int(failed):
            inverse = torch.cholesky_inverse(root)
            upper: Tensor
            upper, failed = torch.linalg.cholesky_ex(inverse, upper=True)
            if not int(failed):
                return upper
        damping *= 10
