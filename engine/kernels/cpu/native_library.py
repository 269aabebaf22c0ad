"""The generated functions by what they do; a kind is compiled when the first weight needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.kernels.cpu.compiling import cache_folder
from engine.kernels.cpu.dot import activations_for
from engine.kernels.cpu.dot_tile import DotTile
from engine.kernels.cpu.fine_tile import FineTile, fine_columns, fine_name, multiplies_digits
from engine.kernels.cpu.float_tile import Element, FloatTile
from engine.kernels.cpu.layout import BYTES, Activations, Layout
from engine.kernels.cpu.native import NativeCode
from engine.kernels.cpu.processor import Processor
from engine.kernels.cpu.quantize_row import QuantizeRow, quantize_name
from engine.kernels.cpu.quantized_tile import (
    PAIR,
    PAIR_COLUMNS,
    QuantizedTile,
    multiplies_pairs,
    product_name,
)
from engine.kernels.cpu.spread_tile import SpreadTile, is_worth_spreading
from engine.kernels.cpu.unpack_tile import UnpackTile

FLOAT_COLUMNS = (1, 2, 3, 4)


def product_columns(processor: Processor) -> tuple[int, ...]:
    """The numbers of activation rows that products are generated for."""
    return tuple(count for count in (1, 2, 4, 8) if count <= processor.columns)


class NativeLibrary:
    """Addresses of generated functions."""

    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        self._code = NativeCode(processor, cache_folder())
        self._loaded: set[str] = set()

    def products(self, layout: Layout) -> dict[int, int]:
        """Columns -> address of a layout's ``product``; 0 where there is none."""
        columns = product_columns(self.processor)

        def write(module: Any) -> None:
            for count in columns:
                QuantizedTile(module, self.processor, layout, count).write()
            if multiplies_pairs(self.processor):
                QuantizedTile(module, self.processor, layout, PAIR_COLUMNS, PAIR).write()
            UnpackTile(module, self.processor, layout).write()
            if is_worth_spreading(self.processor, layout):
                SpreadTile(module, self.processor, layout).write()
                widest = self.processor.columns
                QuantizedTile(module, self.processor, layout.spread_out(), widest).write()

        self._load(layout.name, write)
        return {
            count: self._code.address(product_name(layout, count)) if count in columns else 0
            for count in (1, 2, 4, 8)
        }

    def pair_product(self, layout: Layout) -> int:
        """Address of a layout's product of two tiles side by side; 0 if there is none."""
        if not multiplies_pairs(self.processor):
            return 0
        self.products(layout)
        return self._code.address(product_name(layout, PAIR_COLUMNS, PAIR))

    def fine_products(self, layout: Layout) -> dict[int, int]:
        """Columns -> address of a layout's products with two digits; none where they cost time.

        Nor where activations have 16 bits at any time.
        """
        if not multiplies_digits(self.processor) or self.activations(layout) is not BYTES:
            return {}
        columns = fine_columns(self.processor)

        def write(module: Any) -> None:
            for count in columns:
                FineTile(module, self.processor, layout, count).write()

        self._load(f"fine_{layout.name}", write)
        return {count: self._code.address(fine_name(layout, count)) for count in columns}

    def unpack(self, layout: Layout) -> int:
        """Address of a layout's ``unpack``."""
        self.products(layout)
        return self._code.address(f"unpack_{layout.name}")

    def spreading(self, layout: Layout) -> tuple[int, int]:
        """Addresses of ``spread`` and of the widest product of what it makes; 0 if neither pays."""
        if not is_worth_spreading(self.processor, layout):
            return 0, 0
        self.products(layout)
        product = product_name(layout.spread_out(), self.processor.columns)
        return self._code.address(f"spread_{layout.name}"), self._code.address(product)

    def float_products(self, element: Element) -> dict[int, int]:
        """Columns -> address of an element type's float product."""

        def write(module: Any) -> None:
            for count in FLOAT_COLUMNS:
                FloatTile(module, self.processor, element, count).write()

        self._load(element, write)
        return {count: self._code.address(f"float_{element}_{count}") for count in FLOAT_COLUMNS}

    def row_products(self, element: Element) -> dict[int, int]:
        """Queries -> address of an element type's dot products of rows."""

        def write(module: Any) -> None:
            for count in FLOAT_COLUMNS:
                DotTile(module, self.processor, element, count).write()

        self._load(f"dots_{element}", write)
        return {count: self._code.address(f"dots_{element}_{count}") for count in FLOAT_COLUMNS}

    def activations(self, layout: Layout) -> Activations:
        """The form of activations that a layout's products take."""
        return activations_for(self.processor, layout)

    def quantize_row(self, form: Activations) -> int:
        """Address of the function that quantizes rows to a form."""
        name = quantize_name(form)
        self._load(name, lambda module: QuantizeRow(module, self.processor, form).write())
        return self._code.address(name)

    def _load(self, name: str, write: Callable[[Any], None]) -> None:
        if name not in self._loaded:
            self._code.load(name, write)
            self._loaded.add(name)
