"""``MATRIX`` tables of packed weights, and the buffers that prepared activations stand in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernels.cpu.fine_matrices import multiply_fine
from engine.kernels.cpu.float_tile import Element
from engine.kernels.cpu.layout import (
    BLOCK,
    BYTES,
    DIGITS,
    TILE_ROWS,
    WORDS,
    Activations,
    Layout,
)
from engine.kernels.cpu.matrices import (
    PIECE_BYTES,
    multiply_float,
    multiply_unpacked,
)
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.quantized_products import multiply_quantized
from engine.kernels.cpu.quantized_tile import PAIR_COLUMNS
from engine.kernels.cpu.tables import (
    FLOAT,
    MATRIX,
    PRIVATE_ROWS,
    QUANTIZED,
    QUANTIZED_WORDS,
    UNPACKED,
    fill,
)
from engine.kernels.cpu.weights import CpuWeight, PackedFloat, PackedQuantized, tiles_of

LINE = 64
"""Bytes of a cache line."""
ELEMENT_CODES = {Element.F32: 1, Element.F16: 2, Element.BF16: 3}


def quantized_table(
    shape: tuple[int, int], layout: Layout, data: Any, library: NativeLibrary, *, precise: bool
) -> Any:
    """The table of a quantized weight; ``precise``: it multiplies float activations."""
    functions = library.float_products(Element.F32) if precise else library.products(layout)
    multiply = multiply_unpacked if precise else multiply_quantized
    form = library.activations(layout)
    kind = QUANTIZED if form is BYTES else QUANTIZED_WORDS
    tile_bytes = layout.records(shape[1]) * layout.record_bytes
    spread, spread_product = library.spreading(layout)
    figures = {
        "pair": library.pair_product(layout), "pair_rows": PAIR_COLUMNS,
        "spread": spread, "spread_product": spread_product,
        "spread_rows": library.processor.columns,
        "spread_bytes": layout.spread_out().record_bytes,
        "kind": UNPACKED if precise else kind, "multiply": multiply.address,
        "records": layout.records(shape[1]), "record_bytes": layout.record_bytes,
        "record_step": layout.blocks * form.block_bytes, "unpack": library.unpack(layout),
        "depth_step": TILE_ROWS * 4,
    }  # fmt: skip
    if not precise and (fine := library.fine_products(layout)):
        figures["fine"] = multiply_fine.address
        figures |= {f"fine{count}": address for count, address in fine.items()}
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


def working_bytes(packed: CpuWeight) -> int:
    """Memory for one tile as float32, or for a piece of one whose codes are spread."""
    return max(packed.padded_columns * TILE_ROWS * 4, PIECE_BYTES)


def row_step(size: int) -> int:
    """The distance between rows of ``size`` bytes: an odd number of cache lines.

    Rows are multiplied by fours. At a distance of some powers of two all four would share one set
    of the first-level cache and push the weights out of it: half the speed with 8192 columns.
    """
    return (-(-size // LINE) | 1) * LINE if size else 0


@dataclass(frozen=True, slots=True)
class Needs:
    """What the weights that multiply the same rows want them as.

    Attributes:
        columns: of the rows.
        blocks: int8 blocks of 32 a row; 0: no weight wants any.
        floats: some weight wants float32.
        words: int16 blocks of 32 a row; 0: no weight wants any.
        fine: the int8 blocks have two digits.
    """

    columns: int
    blocks: int
    floats: bool
    words: int = 0
    fine: bool = False

    @staticmethod
    def of(weights: Sequence[CpuWeight], *, precise: bool, fine: bool = False) -> Needs:
        """The needs of some weights of equal columns; with ``fine`` of two digits if they can."""
        blocks, words, floats, digits = 0, 0, False, False
        for packed in weights:
            covered = packed.padded_columns // BLOCK
            if precise or not isinstance(packed, PackedQuantized):
                floats = True
            elif int(packed.table["kind"][0]) == QUANTIZED_WORDS:
                words = max(words, covered)
            else:
                blocks = max(blocks, covered)
                digits = fine and bool(packed.table["fine"][0])
        return Needs(weights[0].shape[1], blocks, floats, words, digits)

    @property
    def form(self) -> Activations:
        """Of the int8 blocks."""
        return DIGITS if self.fine else BYTES

    @property
    def block_step(self) -> int:
        """Bytes of a row of int8 blocks."""
        return row_step(self.blocks * self.form.block_bytes)

    @property
    def word_step(self) -> int:
        """Bytes of a row of int16 blocks."""
        return row_step(self.words * WORDS.block_bytes)

    @property
    def float_step(self) -> int:
        """Bytes of a row of float32."""
        return row_step(self.columns * 4) if self.floats else 0

    def rows(self, rows: int, threads: int) -> int:
        """Rows that a buffer has: all of them, or a private copy of a few for each thread."""
        return max(rows, PRIVATE_ROWS * threads)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rows ready for products: where each kind of weight finds them."""

    needs: Needs
    blocks: int
    floats: int
    words: int = 0

    def source(self, kind: int, *, private: bool) -> dict[str, int]:
        """x, x_step and private of a table for a matrix of this kind."""
        needs = self.needs
        x, step = {
            QUANTIZED: (self.blocks, needs.block_step),
            QUANTIZED_WORDS: (self.words, needs.word_step),
        }.get(kind, (self.floats, needs.float_step))
        return {"x": x, "x_step": step, "private": PRIVATE_ROWS * step if private else 0}

    def quantizing(self, library: NativeLibrary) -> dict[str, int]:
        """What a ``PREPARE`` or ``GATED`` table says of the integers that it makes."""
        needs = self.needs
        return {
            "quantize": library.quantize_row(needs.form) if needs.blocks else 0,
            "out": self.blocks, "out_step": needs.block_step,
            "quantize_words": library.quantize_row(WORDS) if needs.words else 0,
            "words": self.words, "words_step": needs.word_step,
        }  # fmt: skip

    def preparing(self, library: NativeLibrary) -> dict[str, int]:
        """What a ``PREPARE`` table says besides: padding, and the copies of the threads."""
        needs = self.needs
        return self.quantizing(library) | {
            "block_bytes": needs.form.block_bytes,
            "padded": max(needs.blocks, needs.words), "private": PRIVATE_ROWS * needs.block_step,
            "words_private": PRIVATE_ROWS * needs.word_step, "floats": self.floats,
            "floats_step": needs.float_step, "floats_private": PRIVATE_ROWS * needs.float_step,
        }  # fmt: skip
