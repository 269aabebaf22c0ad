"""Packed weights: the canonical forms laid out in tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import BLOCK, TILE_ROWS, Layout
from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.packing import pack_float, pack_quantized
from engine.kernels.cpu.tables import NO_BARRIER, PACK, PACK_FLOAT, STEP
from engine.kernels.cpu.threads import Program, Threads
from engine.weights import Grouped4, Grouped8

ELEMENTS = {
    torch.float32: Element.F32,
    torch.float16: Element.F16,
    torch.bfloat16: Element.BF16,
}


@dataclass(frozen=True, slots=True)
class PackedQuantized:
    """A quantized weight in tiles of records.

    Attributes:
        shape: (rows, columns).
        layout: what a record holds.
        data: uint8, tile after tile.
    """

    shape: tuple[int, int]
    layout: Layout
    data: Any

    @property
    def nbytes(self) -> int:
        """Bytes of all tiles."""
        return int(self.data.size)

    @property
    def address(self) -> int:
        """Address of the first tile."""
        return int(self.data.ctypes.data)

    @property
    def tiles(self) -> int:
        """Tiles of 16 rows."""
        return -(-self.shape[0] // TILE_ROWS)

    @property
    def records(self) -> int:
        """Records of a tile."""
        return self.layout.records(self.shape[1])

    @property
    def tile_bytes(self) -> int:
        """Bytes of a tile."""
        return self.records * self.layout.record_bytes

    @property
    def padded_columns(self) -> int:
        """Columns that the records cover."""
        return self.records * self.layout.columns


@dataclass(frozen=True, slots=True)
class PackedFloat:
    """A float weight in tiles [columns][16 rows].

    Attributes:
        shape: (rows, columns).
        element: what an element is.
        data: uint8, tile after tile.
    """

    shape: tuple[int, int]
    element: Element
    data: Any

    @property
    def nbytes(self) -> int:
        """Bytes of all tiles."""
        return int(self.data.size)

    @property
    def address(self) -> int:
        """Address of the first tile."""
        return int(self.data.ctypes.data)

    @property
    def tiles(self) -> int:
        """Tiles of 16 rows."""
        return -(-self.shape[0] // TILE_ROWS)

    @property
    def tile_bytes(self) -> int:
        """Bytes of a tile."""
        return self.shape[1] * TILE_ROWS * self.element.nbytes


def fewest_bits(codes: Tensor) -> int:
    """The bits of the narrowest record that holds these int8 codes (Q5, Q6: fewer than 8)."""
    low, high = (int(value) for value in torch.aminmax(codes))
    for bits in (4, 5, 6):
        if -(1 << (bits - 1)) <= low and high < 1 << (bits - 1):
            return bits
    return 8


def record_group(group: int, columns: int) -> int:
    """The columns of a record's scale for a scale of ``group`` columns, which may be all."""
    if group in {16, 32, 64, 128}:
        return group
    return next((size for size in (128, 64, 32) if columns % size == 0 and group % size == 0), 32)


def pack_quantized_weight(
    weight: Grouped4 | Grouped8, arena: Arena, threads: Threads
) -> PackedQuantized:
    """Lay a quantized weight out in tiles."""
    rows, columns = weight.shape
    nibbles = isinstance(weight, Grouped4)
    minimum = weight.minimum if isinstance(weight, Grouped4) else None
    bits = 4 if nibbles else fewest_bits(weight.codes)
    group = record_group(weight.group, columns)
    layout = Layout(bits, group, minimum is not None, weight.scale.dtype == torch.float32)
    made = PackedQuantized((rows, columns), layout, np.zeros(0, np.uint8))
    made = PackedQuantized((rows, columns), layout, arena.take(made.tiles * made.tile_bytes))
    codes = _padded(weight.codes, BLOCK // 2 if nibbles else BLOCK)
    scale = weight.scale.contiguous()
    minima = scale if minimum is None else minimum.contiguous()
    table = np.zeros(1, PACK)
    figures = {
        "codes": codes.data_ptr(), "code_step": codes.stride(0), "scale": scale.data_ptr(),
        "minimum": minima.data_ptr(), "scale_groups": scale.shape[1], "group": weight.group,
        "rows": rows, "columns": columns, "out": made.address, "tile_bytes": made.tile_bytes,
        "records": made.records, "bits": bits, "has_minimum": int(layout.minimum),
        "layout_group": layout.group, "layout_columns": layout.columns,
        "layout_blocks": layout.blocks, "block_bytes": layout.block_bytes,
        "scales_at": layout.scales_at, "minima_at": layout.minima_at,
        "scale_bytes": layout.scale_bytes, "zero": layout.zero, "nibbles": int(nibbles),
        "wide": int(layout.wide), "tiles": made.tiles,
    }  # fmt: skip
    for name, value in figures.items():
        table[name] = value
    threads.run(Program([(pack_quantized, table.ctypes.data, NO_BARRIER)]), np.zeros(1, STEP))
    return made


def _padded(codes: Tensor, block: int) -> Tensor:
    """Contiguous codes whose rows are a multiple of ``block`` bytes."""
    short = -codes.shape[1] % block
    if short == 0:
        return codes.contiguous()
    return torch.nn.functional.pad(codes, (0, short))


def pack_float_weight(weight: Tensor, arena: Arena, threads: Threads) -> PackedFloat:
    """Lay a float matrix out in tiles."""
    rows, columns = weight.shape
    element = ELEMENTS[weight.dtype]
    weight = weight.contiguous()
    made = PackedFloat((rows, columns), element, np.zeros(0, np.uint8))
    made = PackedFloat((rows, columns), element, arena.take(made.tiles * made.tile_bytes))
    table = np.zeros(1, PACK_FLOAT)
    figures = {
        "w": weight.data_ptr(), "w_step": columns * element.nbytes, "rows": rows,
        "columns": columns, "out": made.address, "tile_bytes": made.tile_bytes,
        "tiles": made.tiles, "element_bytes": element.nbytes,
    }  # fmt: skip
    for name, value in figures.items():
        table[name] = value
    threads.run(Program([(pack_float, table.ctypes.data, NO_BARRIER)]), np.zeros(1, STEP))
    return made
