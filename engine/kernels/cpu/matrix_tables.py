"""``MATRIX`` tables of packed weights, and the buffers that prepared activations stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import ACTIVATION_BYTES, BLOCK, TILE_ROWS, Layout
from engine.kernels.cpu.matrices import (
    multiply_float,
    multiply_quantized,
    multiply_unpacked,
)
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.tables import FLOAT, MATRIX, PRIVATE_ROWS, QUANTIZED, UNPACKED, fill
from engine.kernels.cpu.weights import CpuWeight, PackedFloat, PackedQuantized, tiles_of

ELEMENT_CODES = {Element.F32: 1, Element.F16: 2, Element.BF16: 3}


def quantized_table(
    shape: tuple[int, int], layout: Layout, data: Any, library: NativeLibrary, *, precise: bool
) -> Any:
    """The table of a quantized weight; ``precise``: it multiplies float activations."""
    functions = library.float_products(Element.F32) if precise else library.products(layout)
    multiply = multiply_unpacked if precise else multiply_quantized
    tile_bytes = layout.records(shape[1]) * layout.record_bytes
    figures = {
        "kind": UNPACKED if precise else QUANTIZED, "multiply": multiply.address,
        "records": layout.records(shape[1]), "record_bytes": layout.record_bytes,
        "record_step": layout.blocks * ACTIVATION_BYTES, "unpack": library.unpack(layout),
        "depth_step": TILE_ROWS * 4,
    }  # fmt: skip
    return _table(shape, data, tile_bytes, functions, figures)


def float_table(shape: tuple[int, int], element: Element, data: Any, library: NativeLibrary) -> Any:
    """The table of a float weight."""
    step = TILE_ROWS * element.nbytes
    figures = {"kind": FLOAT, "multiply": multiply_float.address, "depth_step": step}
    return _table(shape, data, shape[1] * step, library.float_products(element), figures)


def _table(
    shape: tuple[int, int],
    data: Any,
    tile_bytes: int,
    functions: Mapping[int, int],
    figures: Mapping[str, int],
) -> Any:
    same = {
        "w": int(data.ctypes.data), "tiles": tiles_of(shape[0]), "tile_bytes": tile_bytes,
        "outputs": shape[0], "depth": shape[1],
    }  # fmt: skip
    columns = {f"function{count}": functions[count] for count in (1, 2, 4)}
    columns["function8"] = functions.get(8, 0)
    return fill(MATRIX, {**same, **columns, **figures})


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
