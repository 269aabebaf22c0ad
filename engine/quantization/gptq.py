"""GPTQ (arXiv 2210.17323): the error of each column is made good by the columns not yet rounded.

Columns are taken from the largest input to the smallest; the groups and their scales stand before
(searched), so that the stored order stays the file's own.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.quantization.rounding import Rounded, limits, round_searched
from engine.quantization.scheme import Scheme

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
    left = weight.float()[:, order].clone()
    codes = torch.empty(left.shape, dtype=torch.int8)
    groups = order // scheme.group
    exact = scale.float()
    low, high = limits(scheme.bits)
    for first in range(0, left.shape[1], _BLOCK):
        last = min(first + _BLOCK, left.shape[1])
        wrong = torch.empty(left.shape[0], last - first)
        for at in range(first, last):
            step = exact[:, groups[at]]
            q = (left[:, at] / step).round().clamp(low, high)
            codes[:, at] = q.to(torch.int8)
            error = (left[:, at] - q * step) / factor[at, at]
            left[:, at:last] -= error.unsqueeze(1) * factor[at, at:last].unsqueeze(0)
            wrong[:, at - first] = error
        left[:, last:] -= wrong @ factor[first:last, last:]
    return Rounded(codes[:, order.argsort()].contiguous(), scale)


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
