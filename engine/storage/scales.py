"""When scales may be held in float16, and when they must stay in float32."""

from __future__ import annotations

import torch
from torch import Tensor

# Below its smallest normal number, 2^-14, float16 rounds by up to 2^-25. In a row whose largest
# scale is this big, that is at most 2^-12 of it: no more than rounding a normal number costs.
_SMALLEST_ROW = 2.0**-13


def fits_float16(scale: Tensor) -> bool:
    """Whether float16 holds these scales, float32 [rows, groups], as well as it holds any number.

    Each row counts by itself: rows with only tiny scales are often weights that follow a large
    norm, and must not be lost among bigger neighbours.
    """
    halved = scale.half()
    if not bool(halved.isfinite().all()):
        return False
    if scale.numel() == 0 or bool((halved.float() == scale).all()):
        return True
    largest = scale.abs().amax(dim=-1)
    return bool(((largest >= _SMALLEST_ROW) | (largest == 0)).all())


def compact(scale: Tensor, minimum: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
    """Scales and minima [rows, groups] in the smallest dtype that holds them both."""
    if scale.dtype == torch.float16:
        return scale, minimum
    if fits_float16(scale) and (minimum is None or fits_float16(minimum)):
        return scale.half(), None if minimum is None else minimum.half()
    return scale, minimum
