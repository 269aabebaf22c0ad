"""FP4 numbers with a shared power of two (OCP Microscaling Formats 1.0, MXFP4) as 8-bit codes.

The sixteen numbers of E2M1 are 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives; twice that is whole,
so that signed bytes hold them exactly, under half of the group's power of two.
"""

from __future__ import annotations

import torch
from torch import Tensor

_CHUNK = 1 << 18  # bytes at a time
_DOUBLED = (0, 1, 2, 3, 4, 6, 8, 12)
FP4_CODES = torch.tensor([*_DOUBLED, *(-code for code in _DOUBLED)], dtype=torch.int8)

# exponent byte e -> 2^(e - 128), half of E8M0's 2^(e - 127). In float64, where the two smallest,
# which float32 holds as subnormals, are powers like all others. 255 is NaN in E8M0.
_EXPONENTS = torch.arange(256, dtype=torch.float64)
HALVED_POWERS = torch.exp2(_EXPONENTS - 128).float()
HALVED_POWERS[255] = torch.nan


def look_up_nibbles(packed: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
    """The table's entries for the low and for the high nibble of every byte.

    Args:
        packed: uint8, any shape.
        table: [16], any dtype.

    Returns:
        Two tensors of ``packed``'s shape and the table's dtype.
    """
    # through tables of 256, by index_select: a fifth of the time that mask, shift and [] take
    index = packed.flatten().int()
    low = table.repeat(16).index_select(0, index)
    high = table.repeat_interleave(16).index_select(0, index)
    return low.view(packed.shape), high.view(packed.shape)


def look_up_pairs(packed: Tensor, table: Tensor, *, high_first: bool) -> Tensor:
    """Nibbles to the table's entries, neighbours from one byte, some rows at a time.

    Args:
        packed: uint8 [rows, bytes].
        table: [16], any dtype.
        high_first: whether the first value of a byte is in its high nibble.

    Returns:
        [rows, 2 * bytes] of the table's dtype.
    """
    rows, width = packed.shape
    out = torch.empty((rows, width, 2), dtype=table.dtype)
    step = max(1, _CHUNK // width)
    for first in range(0, rows, step):
        span = slice(first, first + step)
        low, high = look_up_nibbles(packed[span], table)
        out[span, :, int(high_first)] = low
        out[span, :, int(not high_first)] = high
    return out.flatten(1)
