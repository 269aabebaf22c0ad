"""``MATRIX`` tables of packed weights, and the buffers that prepared activations stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import ACTIVATION_BYTES, BLOCK, TILE_ROWS, Layout
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.tables import FLOAT, MATRIX, PRIVATE_ROWS, QUANTIZED, UNPACKED, fill
from engine.kernels.cpu.weights import CpuWeight, PackedFloat, PackedQuantized, tiles_of

ELEMENT_CODES = {Element.F32: 1, Element.F16: 2, Element.BF16: 3}


def quantized_table(
    shape: tuple[int, int], layout: Layout, data: Any, library: NativeLibrary, *, precise: bool
) -> Any:
    """The table of a quantized weight; ``precise``: it multiplies float activations."""
    floats, products = library.float_products(Element.F32), library.products(layout)
    return fill(
        MATRIX,
        {
            "kind": UNPACKED if precise else QUANTIZED, "w": data.ctypes.data,
            "tiles": tiles_of(shape[0]), "tile_bytes": data.size // tiles_of(shape[0]),
            "outputs": shape[0], "records": layout.records(shape[1]), "depth": shape[1],
            "depth_step": TILE_ROWS * 4, "unpack": library.unpack(layout),
            "function1": products[1], "function2": products[2], "function4": products[4],
            "function8": products[8], "float1": floats[1], "float2": floats[2],
            "float4": floats[4],
        },
    )  # fmt: skip


def float_table(shape: tuple[int, int], element: Element, data: Any, library: NativeLibrary) -> Any:
    """The table of a float weight."""
    floats = library.float_products(element)
    return fill(
        MATRIX,
        {
            "kind": FLOAT, "w": data.ctypes.data, "tiles": tiles_of(shape[0]),
            "tile_bytes": data.size // tiles_of(shape[0]), "outputs": shape[0], "depth": shape[1],
            "depth_step": TILE_ROWS * element.nbytes, "float1": floats[1], "float2": floats[2],
            "float4": floats[4],
        },
    )  # fmt: skip


def embedding_figures(packed: CpuWeight) -> dict[str, int]:
    """What an ``EMBED`` table says of a weight."""
    table = packed.table
    same = {name: int(table[name][0]) for name in ("w", "tile_bytes", "records", "unpack")}
    element = ELEMENT_CODES[packed.element] if isinstance(packed, PackedFloat) else 0
    return same | {"columns": packed.shape[1], "element": element}


def unpacked_bytes(packed: CpuWeight) -> int:
    """Memory for one tile as float32."""
    return packed.padded_columns * TILE_ROWS * 4


@dataclass(frozen=True, slots=True)
class Needs:
    """What the weights that multiply the same rows want them as.

    Attributes:
        columns: of the rows.
        blocks: int8 blocks of 32 a row; 0: no weight wants any.
        floats: some weight wants float32.
    """

    columns: int
    blocks: int
    floats: bool

    @staticmethod
    def of(weights: Sequence[CpuWeight], *, precise: bool) -> Needs:
        """The needs of some weights of equal columns."""
        blocks, floats = 0, False
        for packed in weights:
            if isinstance(packed, PackedQuantized) and not precise:
                blocks = max(blocks, packed.padded_columns // BLOCK)
            else:
                floats = True
        return Needs(weights[0].shape[1], blocks, floats)

    @property
    def block_step(self) -> int:
        """Bytes of a row of blocks."""
        return self.blocks * ACTIVATION_BYTES

    @property
    def float_step(self) -> int:
        """Bytes of a row of float32."""
        return self.columns * 4 if self.floats else 0

    def rows(self, rows: int, threads: int) -> int:
        """Rows that a buffer has: all of them, or a private copy of a few for each thread."""
        return max(rows, PRIVATE_ROWS * threads)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows ready for products: where each kind of weight finds them."""

    needs: Needs
    blocks: int
    floats: int

    def source(self, kind: int, *, private: bool) -> dict[str, int]:
        """x, x_step and private of a table for a matrix of this kind."""
        step = self.needs.block_step if kind == QUANTIZED else self.needs.float_step
        return {
            "x": self.blocks if kind == QUANTIZED else self.floats,
            "x_step": step,
            "private": PRIVATE_ROWS * step if private else 0,
        }
