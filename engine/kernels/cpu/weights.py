"""Packed weights: the canonical forms laid out in tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import BLOCK, TILE_ROWS, Layout
from engine.kernels.cpu.memory import Arena
from engine.kernels.cpu.packing import pack_float, pack_quantized
from engine.kernels.cpu.tables import NO_BARRIER, PACK, PACK_FLOAT, STEP, fill
from engine.kernels.cpu.threads import Program, Threads
from engine.kernels.interface import Packed
from engine.weights import Grouped4, Grouped8, PartDone

ELEMENTS = {
    torch.float32: Element.F32,
    torch.float16: Element.F16,
    torch.bfloat16: Element.BF16,
}


PART = 16 << 20
"""Bytes of a float matrix that are laid out before pages of its source may go back."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedQuantized:
    """A quantized weight in tiles of records.

    Attributes:
        shape: (rows, columns).
        layout: what a record holds.
        data: uint8, tile after tile.
        table: its ``MATRIX`` table.
    """

    shape: tuple[int, int]
    layout: Layout
    data: Any
    table: Any

    @property
    def nbytes(self) -> int:
        """Bytes of all tiles."""
        return int(self.data.size)

    @property
    def padded_columns(self) -> int:
        """Columns that the records cover."""
        return self.layout.records(self.shape[1]) * self.layout.columns


@dataclass(frozen=True, slots=True, eq=False)
class PackedFloat:
    """A float weight in tiles [columns][16 rows].

    Attributes:
        shape: (rows, columns).
        element: what an element is.
        data: uint8, tile after tile.
        table: its ``MATRIX`` table.
    """

    shape: tuple[int, int]
    element: Element
    data: Any
    table: Any

    @property
    def nbytes(self) -> int:
        """Bytes of all tiles."""
        return int(self.data.size)

    @property
    def padded_columns(self) -> int:
        """Columns that a tile holds."""
        return self.shape[1]


CpuWeight = PackedQuantized | PackedFloat


def packed_here(packed: Packed) -> CpuWeight:
    """The same weight, known to be packed by these kernels."""
    if not isinstance(packed, PackedQuantized | PackedFloat):
        raise TypeError(f"not packed by these kernels: {type(packed).__name__}")
    return packed


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


def tiles_of(rows: int) -> int:
    """Tiles that hold so many rows."""
    return -(-rows // TILE_ROWS)


def quantized_layout(weight: Grouped4 | Grouped8) -> Layout:
    """The record that holds a weight."""
    nibbles = isinstance(weight, Grouped4)
    minimum = isinstance(weight, Grouped4) and weight.minimum is not None
    bits = 4 if nibbles else fewest_bits(weight.codes)
    group = record_group(weight.group, weight.shape[1])
    return Layout(bits, group, minimum, weight.scale.dtype == torch.float32)


def pack_quantized_weight(
    weight: Grouped4 | Grouped8, layout: Layout, arena: Arena, threads: Threads
) -> Any:
    """The tiles of a quantized weight, uint8."""
    rows, columns = weight.shape
    nibbles = isinstance(weight, Grouped4)
    minimum = weight.minimum if isinstance(weight, Grouped4) else None
    records = layout.records(columns)
    tile_bytes = records * layout.record_bytes
    data = arena.take(tiles_of(rows) * tile_bytes)
    codes = _padded(weight.codes, BLOCK // 2 if nibbles else BLOCK)
    scale = weight.scale.contiguous()
    minima = scale if minimum is None else minimum.contiguous()
    table = fill(
        PACK,
        {
            "codes": codes.data_ptr(), "code_step": codes.stride(0), "scale": scale.data_ptr(),
            "minimum": minima.data_ptr(), "scale_groups": scale.shape[1], "group": weight.group,
            "rows": rows, "columns": columns, "out": data.ctypes.data, "tile_bytes": tile_bytes,
            "records": records, "bits": layout.bits, "has_minimum": int(layout.minimum),
            "layout_group": layout.group, "layout_columns": layout.columns,
            "layout_blocks": layout.blocks, "block_bytes": layout.block_bytes,
            "scales_at": layout.scales_at, "minima_at": layout.minima_at,
            "scale_bytes": layout.scale_bytes, "zero": layout.zero, "nibbles": int(nibbles),
            "wide": int(layout.wide), "tiles": tiles_of(rows),
        },
    )  # fmt: skip
    threads.run(Program([(pack_quantized, table.ctypes.data, NO_BARRIER)]), fill(STEP, {}))
    return data


def _padded(codes: Tensor, block: int) -> Tensor:
    """Contiguous codes whose rows are a multiple of ``block`` bytes."""
    short = -codes.shape[1] % block
    if short == 0:
        return codes.contiguous()
    return torch.nn.functional.pad(codes, (0, short))


def pack_float_weight(weight: Tensor, arena: Arena, threads: Threads, part_done: PartDone) -> Any:
    """The tiles of a float matrix, uint8; ``part_done`` is called after each ``PART`` of them."""
    rows, columns = weight.shape
    size = weight.element_size()
    weight = weight.contiguous()
    tile_bytes = columns * TILE_ROWS * size
    data = arena.take(tiles_of(rows) * tile_bytes)
    each = max(1, PART // max(tile_bytes, 1))
    for tile in range(0, tiles_of(rows), each):
        row = tile * TILE_ROWS
        table = fill(
            PACK_FLOAT,
            {
                "w": weight.data_ptr() + row * columns * size, "w_step": columns * size,
                "rows": rows - row, "columns": columns, "out": data.ctypes.data + tile * tile_bytes,
                "tile_bytes": tile_bytes, "tiles": min(each, tiles_of(rows) - tile),
                "element_bytes": size,
            },
        )  # fmt: skip
        threads.run(Program([(pack_float, table.ctypes.data, NO_BARRIER)]), fill(STEP, {}))
        if part_done is not None:
            part_done()
    return data
