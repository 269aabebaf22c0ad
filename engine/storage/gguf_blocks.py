"""GGUF's block formats, taken apart into the canonical forms.

Each function takes blocks as uint8 [blocks, bytes] and gives ``Parts``: codes, scales and minima
of those blocks, laid out as ``engine/weights.py`` says. They are called on a few thousand blocks
at a time, small enough for the temporaries to stay in the processor's cache.

Exact are Q4_0, Q4_1, Q5_0 and Q8_0. The scales of the K formats are products (4 to 8 bits times
float16) and come as float32. Q2_K and Q3_K fit 4 bits with a scale for each 16, 6 and 5 bits a
value, where 8 bits would take 9. Q5_1 and Q5_K have a minimum that 8 bit has no place for and are
coded anew, with a rounding error of about an eighth of their own (0.036 against 0.289 of their
step, for weights symmetric about zero).

Layouts: the block structures of ggml; the ``gguf`` package's dequantizer is the tests' truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Parts:
    """Some blocks in canonical form.

    ``codes`` uint8 [blocks, values / 2] or int8 [blocks, values]; ``scale`` and ``minimum``
    [blocks, values / group], float16 where that is exact, else float32.
    """

    codes: Tensor
    scale: Tensor
    minimum: Tensor | None = None


@dataclass(frozen=True, slots=True)
class BlockFormat:
    """How to take one block type apart: into codes of ``bits``, a scale for each ``group``.

    ``half`` says that the file's own float16 scales are kept as they are.
    """

    bits: int
    group: int
    has_minimum: bool
    half: bool
    unpack: Callable[[Tensor], Parts]

    @property
    def code_dtype(self) -> torch.dtype:
        """uint8 for pairs of nibbles, int8 for signed bytes."""
        return torch.uint8 if self.bits == 4 else torch.int8

    @property
    def scale_dtype(self) -> torch.dtype:
        """What ``unpack`` gives its scales and minima as."""
        return torch.float16 if self.half else torch.float32


def half_at(blocks: Tensor, start: int) -> Tensor:
    """float16 [blocks, 1] at byte ``start``."""
    return blocks[:, start : start + 2].contiguous().view(torch.float16)


def nibble_halves(packed: Tensor) -> Tensor:
    """Nibbles in ggml's order to the canonical one.

    ggml keeps value j of a run in the low nibble of byte j and value j + width in its high nibble;
    here neighbours share a byte. [..., width] -> [..., 2, width / 2].
    """
    pairs = packed.contiguous().view(torch.int16)
    low = (pairs & 0x0F).bitwise_or_((pairs >> 4) & 0xF0)
    high = ((pairs >> 4) & 0x0F).bitwise_or_((pairs >> 8) & 0xF0)
    return torch.stack((low.to(torch.uint8), high.to(torch.uint8)), dim=-2)


def nibbles(packed: Tensor) -> Tensor:
    """The same nibbles, one a byte: [..., width] -> [..., 2, width]."""
    return torch.stack((packed & 15, packed >> 4), dim=-2)


def bit_fields(packed: Tensor, width: int, to: int) -> Tensor:
    """Every byte's fields of ``width`` bits, lowest first, moved to bit ``to``.

    [..., bytes] -> [..., 8 / width, bytes]
    """
    packed = packed.contiguous()
    mask = ((1 << width) - 1) << to
    moved = (packed << to - at if at < to else packed >> at - to for at in range(0, 8, width))
    return torch.stack([field.bitwise_and_(mask) for field in moved], dim=-2)


# byte b -> eight bytes, the k-th of them 16 where bit k of b is set
_FIFTH_BITS = bit_fields(torch.arange(256, dtype=torch.uint8), 1, 4).t().contiguous()
_FIFTH_BITS = _FIFTH_BITS.view(torch.int64).view(256)


def _five_bits(high: Tensor, low: Tensor) -> Tensor:
    """Fifth bits [blocks, 4] and nibbles [blocks, 16] -> [blocks, 32], 0 to 31."""
    fifth = _FIFTH_BITS.index_select(0, high.reshape(-1).int()).view(torch.uint8)
    return nibbles(low).view(-1, 32).bitwise_or_(fifth.view(-1, 32))


def _recode(q: Tensor, scale: Tensor, minimum: Tensor, most: int) -> Parts:
    """``scale * q + minimum`` as signed bytes with a scale alone.

    Args:
        q: uint8 [blocks, groups, group], 0 to ``most``.
        scale: float32 [blocks, groups].
        minimum: float32 [blocks, groups].
        most: the largest code. The range's two ends say how large a value can be: ggml chooses
            ranges that are used to their ends, and finding the true largest takes half the time.
    """
    largest = torch.maximum(minimum.abs(), (minimum + scale * most).abs())
    inverse = torch.where(largest > 0, 127 / largest, 0)
    codes = q.float().mul_((scale * inverse).unsqueeze(-1)).add_((minimum * inverse).unsqueeze(-1))
    return Parts(codes.round_().to(torch.int8).flatten(1), largest / 127)


def _q4_0(blocks: Tensor) -> Parts:
    return Parts(nibble_halves(blocks[:, 2:]).flatten(1), half_at(blocks, 0))


def _q4_1(blocks: Tensor) -> Parts:
    codes = nibble_halves(blocks[:, 4:]).flatten(1)
    return Parts(codes, half_at(blocks, 0), half_at(blocks, 2))


def _q5_0(blocks: Tensor) -> Parts:
    codes = _five_bits(blocks[:, 2:6], blocks[:, 6:]).view(torch.int8).sub_(16)
    return Parts(codes, half_at(blocks, 0))


def _q5_1(blocks: Tensor) -> Parts:
    q = _five_bits(blocks[:, 4:8], blocks[:, 8:]).unsqueeze(1)
    return _recode(q, half_at(blocks, 0).float(), half_at(blocks, 2).float(), 31)


def _q8_0(blocks: Tensor) -> Parts:
    return Parts(blocks[:, 2:].view(torch.int8), half_at(blocks, 0))


def _k_scales(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Scale and minimum of each run of 32 of a Q4_K or Q5_K block: float32 [blocks, 8] each.

    ``d * sc`` and ``-dmin * m``, with eight 6-bit pairs (sc, m) in 12 bytes.
    """
    first, second, mixed = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = torch.cat((first & 63, mixed & 15 | first >> 6 << 4), dim=1)
    minima = torch.cat((second & 63, mixed >> 4 | second >> 6 << 4), dim=1)
    return half_at(blocks, 0).float() * scales, -half_at(blocks, 2).float() * minima


def _q4_k(blocks: Tensor) -> Parts:
    codes = nibble_halves(blocks[:, 16:].reshape(-1, 4, 32))
    return Parts(codes.view(-1, 128), *_k_scales(blocks))


def _q5_k(blocks: Tensor) -> Parts:
    # bit k of byte j belongs to value j of run k
    q = bit_fields(blocks[:, 16:48], 1, 4)
    q |= nibbles(blocks[:, 48:].reshape(-1, 4, 32)).view(-1, 8, 32)
    return _recode(q, *_k_scales(blocks), 31)


def _q6_k(blocks: Tensor) -> Parts:
    # each half of a block: 64 bytes of low nibbles and 32 of upper pairs make four runs of 32
    codes = bit_fields(blocks[:, 128:192].reshape(-1, 2, 32), 2, 4)
    codes |= nibbles(blocks[:, :128].reshape(-1, 2, 64)).view(-1, 2, 4, 32)
    scale = half_at(blocks, 208).float() * blocks[:, 192:208].view(torch.int8)
    return Parts(codes.view(torch.int8).sub_(32).flatten(1), scale)


def _pairs(values: Tensor) -> Tensor:
    """Codes below 16, one a byte, to two a byte: [..., values] -> [..., values / 2]."""
    pairs = values.view(torch.int16)
    return (pairs & 0x0F).bitwise_or_((pairs >> 4) & 0xF0).to(torch.uint8)


def _q2_k(blocks: Tensor) -> Parts:
    # 16 bytes: a 4-bit scale and a 4-bit minimum for each run of 16; then 64 bytes of 2-bit codes
    codes = bit_fields(blocks[:, 16:80].reshape(-1, 2, 32), 2, 0)
    scale = half_at(blocks, 80).float() * (blocks[:, :16] & 15)
    minimum = -half_at(blocks, 82).float() * (blocks[:, :16] >> 4)
    return Parts(_pairs(codes.flatten(1)), scale, minimum)


def _q3_k(blocks: Tensor) -> Parts:
    # two bits in 64 bytes, the third in 32 bytes of masks: 0 to 7, of which 4 stands for zero;
    # with 4 added they are 4-bit codes, of which 8 does
    codes = bit_fields(blocks[:, :32], 1, 2)
    codes |= bit_fields(blocks[:, 32:96].reshape(-1, 2, 32), 2, 0).view(-1, 8, 32)
    low = nibbles(blocks[:, 96:104]).flatten(1)
    scales = low | bit_fields(blocks[:, 104:108], 2, 4).flatten(1)  # 6 bits, 32 stands for zero
    scale = half_at(blocks, 108).float() * (scales.view(torch.int8) - 32)
    return Parts(_pairs((codes + 4).flatten(1)), scale)


def _q8_k(blocks: Tensor) -> Parts:
    d = blocks[:, :4].contiguous().view(torch.float32)
    return Parts(blocks[:, 4:260].view(torch.int8), d.expand(-1, 2))


LEGACY_AND_K = {
    "Q4_0": BlockFormat(4, 32, False, True, _q4_0),
    "Q4_1": BlockFormat(4, 32, True, True, _q4_1),
    "Q5_0": BlockFormat(8, 32, False, True, _q5_0),
    "Q5_1": BlockFormat(8, 32, False, False, _q5_1),
    "Q8_0": BlockFormat(8, 32, False, True, _q8_0),
    "Q2_K": BlockFormat(4, 16, True, False, _q2_k),
    "Q3_K": BlockFormat(4, 16, False, False, _q3_k),
    "Q4_K": BlockFormat(4, 32, True, False, _q4_k),
    "Q5_K": BlockFormat(8, 32, False, False, _q5_k),
    "Q6_K": BlockFormat(8, 16, False, False, _q6_k),
    "Q8_K": BlockFormat(8, 128, False, False, _q8_k),
}
