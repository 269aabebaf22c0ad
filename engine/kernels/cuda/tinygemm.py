"""ATen's 4-bit product (tinygemm, sm_80 and later, bfloat16), for where Triton cannot start.

Its scales are bfloat16, so a product differs from the reference's by up to 2**-8 of each weight;
nothing else on CUDA rounds weights further than the activations' dtype.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.kernels.interface import Packed
from engine.kernels.reference import ReferenceKernels, ReferenceWeight
from engine.weights import Grouped4, PartDone, Weight

_GROUPS = (32, 64, 128)


@dataclass(slots=True)
class TileWeight:
    """A 4-bit matrix in tinygemm's tiles; the canonical form stays for ``embed``.

    A matrix that is an embedding and a head is therefore held twice; every other one gives its
    canonical form up at the first product, for embeddings are looked up before.
    """

    canonical: ReferenceWeight | None
    size: tuple[int, int]
    group: int
    tiles: Tensor | None = None
    scales: Tensor | None = None
    is_embedding: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the matrix."""
        return self.size

    @property
    def nbytes(self) -> int:
        """Bytes that it holds."""
        parts = (self.canonical, self.tiles, self.scales)
        return sum(part.nbytes for part in parts if part is not None)


class TinygemmKernels(ReferenceKernels):
    """The reference with tinygemm's products; other weights are dequantized for each product."""

    name = "ATen int4"

    def pack(  # type: ignore[override]  # a Packed of its own
        self, weight: Weight, part_done: PartDone = None
    ) -> Packed:
        """Keep 4-bit matrices of fitting shape for tinygemm."""
        held = super().pack(weight, part_done)
        if isinstance(held.weight, Grouped4) and fits(held.weight):
            return TileWeight(held, held.weight.shape, held.weight.group)
        return held

    def linear(self, x: Tensor, weight: Packed, bias: Tensor | None = None) -> Tensor:
        """``x @ weight.T + bias``: [tokens, columns] -> [tokens, rows]."""
        if not isinstance(weight, TileWeight):
            return super().linear(x, weight, bias)
        if weight.tiles is None and weight.canonical is not None:
            held = weight.canonical.weight
            if isinstance(held, Grouped4):
                weight.tiles, weight.scales = tiles_of(held), scales_of(held)
            if not weight.is_embedding:
                weight.canonical = None
        y: Tensor = torch.ops.aten._weight_int4pack_mm(
            x.to(self.dtype).contiguous(), weight.tiles, weight.group, weight.scales
        )
        return y if bias is None else y + bias.to(y.dtype)

    def embed(self, ids: Tensor, weight: Packed) -> Tensor:
        """Rows of ``weight`` for int64 ``ids`` [tokens] -> [tokens, columns]."""
        if not isinstance(weight, TileWeight):
            return super().embed(ids, weight)
        if weight.canonical is None:
            raise TypeError("the matrix was packed for products alone")
        weight.is_embedding = True
        return super().embed(ids, weight.canonical)


def fits(weight: Grouped4) -> bool:
    """Whether tinygemm takes a matrix of this shape."""
    rows, columns = weight.shape
    return rows % 8 == 0 and columns % 128 == 0 and weight.group in _GROUPS


def tiles_of(weight: Grouped4) -> Tensor:
    """The codes in tinygemm's tiles: it wants the first of two columns in the high nibble."""
    swapped = (weight.codes << 4) | (weight.codes >> 4)
    tiles: Tensor = torch.ops.aten._convert_weight_to_int4pack(swapped, 8)
    return tiles


def scales_of(weight: Grouped4) -> Tensor:
    """bfloat16 [groups, rows, 2]: the scale, and the value of code 8 (``w = (q - 8) s + z``)."""
    scale = weight.scale.float()
    middle = torch.zeros_like(scale) if weight.minimum is None else weight.minimum + 8 * scale
    return torch.stack((scale, middle), dim=-1).transpose(0, 1).contiguous().bfloat16()
