"""From unpacked codes, scales and zero points to the canonical forms.

Where a layout's codes and groups fit ``Grouped4`` or ``Grouped8`` they are kept; where they do not
(columns that were sorted by importance, floating 8-bit codes, an 8-bit zero point) the values are
coded anew in 8 bits, with a scale for each 32 columns: half a step of that is a 254th of the
largest of 32 values, where four bits have a thirtieth and FP8 a sixteenth of each large value.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

import torch
from torch import Tensor

from engine.storage.scales import compact
from engine.weights import Grouped4, Grouped8

_GROUPS = (128, 64, 32, 16)  # that the canonical forms have, besides whole rows in 8 bits
_CHUNK = 1 << 18  # values at a time


def held_group(group: int, columns: int) -> int | None:
    """The largest group of the canonical forms that lies within groups of this size."""
    shared = gcd(group, columns)
    return next((size for size in _GROUPS if shared % size == 0), None)


def spread(scale: Tensor, group: int, held: int) -> Tensor:
    """Scales [rows, columns / group] repeated for the smaller groups ``held``."""
    return scale.repeat_interleave(group // held, dim=1) if held != group else scale


def grouped4(codes: Tensor, scale: Tensor, zero: Tensor | None, group: int, held: int) -> Grouped4:
    """4-bit codes with zero points: ``w = scale * (q - zero)``.

    Zero points of 8 everywhere need no minimum and are exact. Others give a minimum,
    ``-scale * zero``, rounded to float16 like every scale: at most 0.004 of a step.

    Args:
        codes: uint8 [rows, columns / 2], canonical order.
        scale: float [rows, groups].
        zero: like ``scale``, or None for 8.
        group: columns that share a scale.
        held: from ``held_group``.
    """
    scale = spread(scale.float(), group, held)
    minimum = None
    if zero is not None and not bool((zero == 8).all()):
        minimum = -scale * spread(zero.float(), group, held)
    return Grouped4(codes, *compact(scale, minimum), held)


def grouped8(codes: Tensor, scale: Tensor, group: int) -> Grouped8:
    """Signed bytes with a scale for each group, or for each whole row."""
    columns = codes.shape[1]
    held = columns if group == columns else held_group(group, columns)
    if held is None:
        wide = scale.float().repeat_interleave(group, dim=1)
        return recoded(codes.shape[0], columns, lambda rows: codes[rows].float() * wide[rows])
    scale, _ = compact(spread(scale.float(), group, held))
    return Grouped8(codes, scale, held)


def recoded(rows: int, columns: int, values: Callable[[slice], Tensor]) -> Grouped8:
    """Any values in 8 bits, a few rows at a time.

    Args:
        rows: of the matrix.
        columns: of the matrix.
        values: float32 [some rows, columns] for a slice of rows.
    """
    group = next((size for size in (32, 16) if columns % size == 0), columns)
    codes = torch.empty((rows, columns), dtype=torch.int8)
    scale = torch.empty((rows, columns // group), dtype=torch.float32)
    step = max(1, _CHUNK // columns)
    for first in range(0, rows, step):
        span = slice(first, min(first + step, rows))
        groups = values(span).view(-1, columns // group, group)
        largest = groups.abs().amax(dim=-1)
        inverse = torch.where(largest > 0, 127 / largest, 0)
        codes[span] = (groups * inverse.unsqueeze(-1)).round_().to(torch.int8).flatten(1)
        scale[span] = largest / 127
    held, _ = compact(scale)
    return Grouped8(codes, held, group)


def recoded_affine(
    codes: Callable[[slice], Tensor], scale: Tensor, zero: Tensor, order: Tensor
) -> Grouped8:
    """``scale * (q - zero)`` in 8 bits, whatever the groups are.

    Args:
        codes: any integers [some rows, columns] for a slice of rows.
        scale: float32 [rows, groups].
        zero: float32 [rows, groups].
        order: int64 [columns], each column's group.
    """

    def values(rows: slice) -> Tensor:
        return (codes(rows).float() - zero[rows][:, order]) * scale[rows][:, order]

    return recoded(len(scale), len(order), values)


def bytes_of(words: Tensor) -> Tensor:
    """int32 [..., n] as uint8 [..., 4 n]; a copy only where the words do not lie in a row."""
    # through one dimension: a view of bytes asks for strides that size-one dimensions may lack
    flat = words.contiguous().view(-1).view(torch.uint8)
    return flat.view(*words.shape[:-1], words.shape[-1] * 4)


def unpacked(words: Tensor, bits: int) -> Tensor:
    """int32 words of codes, lowest bits first, one a byte: [..., words] -> [..., codes]."""
    packed = bytes_of(words)
    if bits == 8:
        return packed
    mask = (1 << bits) - 1
    fields = [(packed >> shift) & mask for shift in range(0, 8, bits)]
    return torch.stack(fields, dim=-1).flatten(-2)


def nibbles_of(words: Tensor, bits: int) -> Tensor:
    """int32 words of 2- or 4-bit codes to canonical 4-bit pairs: uint8 [..., codes / 2]."""
    packed = bytes_of(words)
    if bits == 4:
        return packed
    low = (packed & 0x03) | ((packed << 2) & 0x30)
    high = ((packed >> 4) & 0x03) | ((packed >> 2) & 0x30)
    return torch.stack((low, high), dim=-1).flatten(-2)
