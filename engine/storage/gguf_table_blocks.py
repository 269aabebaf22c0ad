"""GGUF's block formats whose 4-bit codes are places in a table of sixteen numbers.

The numbers are whole, so signed bytes hold the values exactly; a grid of equal steps, which is all
that 4-bit codes with a scale can say, would not.
"""

from __future__ import annotations

import torch
from torch import Tensor

from engine.storage.gguf_blocks import BlockFormat, Parts, bit_fields, half_at, nibbles
from engine.storage.microscaling import FP4_CODES, HALVED_POWERS, look_up_nibbles

# ggml's kvalues_iq4nl: finer near zero
_IQ4 = torch.tensor(
    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], dtype=torch.int8
)


def _in_runs(packed: Tensor, table: Tensor) -> Tensor:
    """Runs of 16 bytes to 32 codes: the low nibbles first. [blocks, bytes] -> [blocks, codes]."""
    low, high = look_up_nibbles(packed.reshape(len(packed), -1, 16), table)
    return torch.stack((low, high), dim=-2).flatten(1)


def _iq4_nl(blocks: Tensor) -> Parts:
    return Parts(_in_runs(blocks[:, 2:], _IQ4), half_at(blocks, 0))


def _iq4_xs(blocks: Tensor) -> Parts:
    # eight 6-bit scales, 32 stands for zero: upper pairs in bytes 2 and 3, nibbles in 4 to 7
    high = bit_fields(blocks[:, 2:4], 2, 4).transpose(1, 2).flatten(1)
    low = nibbles(blocks[:, 4:8]).transpose(1, 2).flatten(1)
    scale = half_at(blocks, 0).float() * ((low | high).view(torch.int8) - 32)
    return Parts(_in_runs(blocks[:, 8:], _IQ4), scale)


def _mxfp4(blocks: Tensor) -> Parts:
    return Parts(_in_runs(blocks[:, 1:], FP4_CODES), HALVED_POWERS[blocks[:, :1].int()])


TABLE_CODED = {
    "IQ4_NL": BlockFormat(8, 32, False, True, _iq4_nl),
    "IQ4_XS": BlockFormat(8, 32, False, False, _iq4_xs),
    "MXFP4": BlockFormat(8, 32, False, False, _mxfp4),
}
