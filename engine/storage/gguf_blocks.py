"""GGUF's block formats, taken apart into the canonical forms.

Each function takes blocks as uint8 [blocks, bytes] and gives ``Parts``: codes, scales and minima
of those blocks, laid out as ``engine/weights.py`` says. They are called on a few thousand blocks
at a time, small enough for the temporaries to stay in the processor's cache. Exact are Q4_0, Q4_1,
Q5_0 and Q8_0; the scales of Q4_K and Q6_K are products (6-bit or 8-bit times float16) and come as
float32; Q5_1 and Q5_K have a minimum that 8 bit has no place for and are coded anew, with a
rounding error of about an eighth of their own (0.036 against 0.289 of their step, for weights
symmetric about zero).

Layouts: the block structures of ggml; the ``gguf`` package's dequantizer is the tests' truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Parts:
    """Some blocks in canonical form.

    ``codes`` uint8 [blocks, values / 2] or int8 [blocks, values]; ``scale`` and ``minimum``
    [blocks, values / group], float16 where that is exact, else float32.
    """

    codes: NDArray[Any]
    scale: Floats
    minimum: Floats | None = None


@dataclass(frozen=True, slots=True)
class BlockFormat:
    """How to take one block type apart: into codes of ``bits``, a scale for each ``group``.

    ``half`` says that the file's own float16 scales are kept as they are.
    """

    bits: int
    group: int
    has_minimum: bool
    half: bool
    unpack: Callable[[Bytes], Parts]

    @property
    def code_dtype(self) -> torch.dtype:
        """uint8 for pairs of nibbles, int8 for signed bytes."""
        return torch.uint8 if self.bits == 4 else torch.int8

    @property
    def scale_dtype(self) -> torch.dtype:
        """What ``unpack`` gives its scales and minima as."""
        return torch.float16 if self.half else torch.float32


def _half(blocks: Bytes, start: int) -> NDArray[np.float16]:
    """float16 [blocks, 1] at byte ``start``."""
    return blocks[:, start : start + 2].copy().view("<f2")


def _nibble_halves(packed: Bytes) -> Bytes:
    """Nibbles in ggml's order to the canonical one.

    ggml keeps value j of a run in the low nibble of byte j and value j + width in its high nibble;
    here neighbours share a byte. [..., width] -> [..., 2, width / 2].
    """
    pairs = np.ascontiguousarray(packed).view("<u2")
    out = np.empty((*pairs.shape[:-1], 2, pairs.shape[-1]), np.uint8)
    shifted = pairs >> 4
    np.bitwise_or(pairs & 0x0F, shifted & 0xF0, out=out[..., 0, :], casting="unsafe")
    np.bitwise_or(shifted & 0x0F, (pairs >> 8) & 0xF0, out=out[..., 1, :], casting="unsafe")
    return out


def _nibbles(packed: Bytes) -> Bytes:
    """The same nibbles, one a byte: [..., width] -> [..., 2, width]."""
    return np.stack((packed & 15, packed >> 4), axis=-2)


def _bits(packed: Bytes) -> Bytes:
    """Bits, lowest first: [blocks, bytes] -> [blocks, bytes * 8]."""
    return np.unpackbits(packed, axis=-1, bitorder="little")


def _recode(values: NDArray[np.float32]) -> Parts:
    """Round float32 [blocks, groups, group] to signed bytes with a scale for each group."""
    scale = np.abs(values).max(axis=-1, keepdims=True) / np.float32(127)
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    codes = np.rint(values * inverse).astype(np.int8)
    return Parts(codes.reshape(len(values), -1), scale[..., 0])


def _q4_0(blocks: Bytes) -> Parts:
    return Parts(_nibble_halves(blocks[:, 2:]).reshape(len(blocks), 16), _half(blocks, 0))


def _q4_1(blocks: Bytes) -> Parts:
    codes = _nibble_halves(blocks[:, 4:]).reshape(len(blocks), 16)
    return Parts(codes, _half(blocks, 0), _half(blocks, 2))


def _five_bits(high: Bytes, low: Bytes) -> Bytes:
    """Fifth bits [blocks, 4] and nibbles [blocks, 16] -> [blocks, 32], 0 to 31."""
    q: Bytes = np.bitwise_or(_nibbles(low).reshape(len(low), 32), _bits(high) << np.uint8(4))
    return q


def _q5_0(blocks: Bytes) -> Parts:
    codes = _five_bits(blocks[:, 2:6], blocks[:, 6:]).view(np.int8) - np.int8(16)
    return Parts(codes, _half(blocks, 0))


def _q5_1(blocks: Bytes) -> Parts:
    q = _five_bits(blocks[:, 4:8], blocks[:, 8:]).astype(np.float32)
    values = q * _half(blocks, 0).astype(np.float32) + _half(blocks, 2).astype(np.float32)
    return _recode(values[:, None, :])


def _q8_0(blocks: Bytes) -> Parts:
    return Parts(blocks[:, 2:].view(np.int8), _half(blocks, 0))


def _six_bit_pairs(packed: Bytes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The K formats' 12 bytes of 6-bit scales and minima -> float32 [blocks, 8] each."""
    first, second, mixed = packed[:, 0:4], packed[:, 4:8], packed[:, 8:12]
    scales = np.concatenate((first & 63, mixed & 15 | first >> 6 << 4), axis=1)
    minima = np.concatenate((second & 63, mixed >> 4 | second >> 6 << 4), axis=1)
    return scales.astype(np.float32), minima.astype(np.float32)


def _k_scales(blocks: Bytes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Scale and (negative) minimum of each run of 32: ``d * sc`` and ``-dmin * m``."""
    scales, minima = _six_bit_pairs(blocks[:, 4:16])
    d, d_min = _half(blocks, 0).astype(np.float32), _half(blocks, 2).astype(np.float32)
    return d * scales, -d_min * minima


def _q4_k(blocks: Bytes) -> Parts:
    scale, minimum = _k_scales(blocks)
    codes = _nibble_halves(blocks[:, 16:].reshape(len(blocks), 4, 32))
    return Parts(codes.reshape(len(blocks), 128), scale, minimum)


def _q5_k(blocks: Bytes) -> Parts:
    scale, minimum = _k_scales(blocks)
    # bit k of byte j belongs to value j of run k
    shifts = np.arange(8, dtype=np.uint8)[:, None]
    high = (blocks[:, None, 16:48] >> shifts & 1) << 4
    q = _nibbles(blocks[:, 48:].reshape(len(blocks), 4, 32)).reshape(len(blocks), 8, 32) | high
    return _recode(q.astype(np.float32) * scale[..., None] + minimum[..., None])


def _q6_k(blocks: Bytes) -> Parts:
    count = len(blocks)
    # each half of a block: 64 bytes of low nibbles and 32 of upper pairs make four runs of 32
    low = _nibbles(blocks[:, :128].reshape(count, 2, 64)).reshape(count, 2, 4, 32)
    shifts = np.arange(0, 8, 2, dtype=np.uint8)[:, None]
    high = (blocks[:, 128:192].reshape(count, 2, 1, 32) >> shifts & 3) << 4
    codes = (low | high).view(np.int8) - np.int8(32)
    scale = _half(blocks, 208).astype(np.float32) * blocks[:, 192:208].view(np.int8)
    return Parts(codes.reshape(count, 256), scale)


BLOCK_FORMATS: dict[str, BlockFormat] = {
    "Q4_0": BlockFormat(4, 32, False, True, _q4_0),
    "Q4_1": BlockFormat(4, 32, True, True, _q4_1),
    "Q5_0": BlockFormat(8, 32, False, True, _q5_0),
    "Q5_1": BlockFormat(8, 32, False, False, _q5_1),
    "Q8_0": BlockFormat(8, 32, False, True, _q8_0),
    "Q4_K": BlockFormat(4, 32, True, False, _q4_k),
    "Q5_K": BlockFormat(8, 32, False, False, _q5_k),
    "Q6_K": BlockFormat(8, 16, False, False, _q6_k),
}
