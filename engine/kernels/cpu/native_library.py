"""The generated functions by what they do; a kind is compiled when the first weight needs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.kernels.cpu.compiling import cache_folder
from engine.kernels.cpu.float_tile import Element, FloatTile
from engine.kernels.cpu.layout import Layout
from engine.kernels.cpu.native import NativeCode
from engine.kernels.cpu.processor import DotProduct, Processor
from engine.kernels.cpu.quantize_row import NAME as QUANTIZE_ROW
from engine.kernels.cpu.quantize_row import QuantizeRow
from engine.kernels.cpu.quantized_tile import QuantizedTile
from engine.kernels.cpu.unpack_tile import UnpackTile

FLOAT_COLUMNS = (1, 2, 3, 4)


def product_columns(processor: Processor, layout: Layout) -> tuple[int, ...]:
    """The numbers of activation rows that products of this layout are generated for."""
    most = processor.columns
    if layout.bits == 8 and processor.dot in {DotProduct.MADDUBS, DotProduct.PORTABLE}:
        most //= 2  # two digits, two sums: twice the registers
    return tuple(count for count in (1, 2, 4, 8) if count <= most)


class NativeLibrary:
    """Addresses of generated functions."""

    def __init__(self, processor: Processor) -> None:
        self.processor = processor
        self._code = NativeCode(processor, cache_folder())
        self._loaded: set[str] = set()

    def products(self, layout: Layout) -> dict[int, int]:
        """Columns -> address of a layout's ``product``; 0 where there is none."""
        columns = product_columns(self.processor, layout)

        def write(module: Any) -> None:
            for count in columns:
                QuantizedTile(module, self.processor, layout, count).write()
            UnpackTile(module, self.processor, layout).write()

        self._load(layout.name, write)
        return {
            count: self._code.address(f"product_{layout.name}_{count}") if count in columns else 0
            for count in (1, 2, 4, 8)
        }

    def unpack(self, layout: Layout) -> int:
        """Address of a layout's ``unpack``."""
        self.products(layout)
        return self._code.address(f"unpack_{layout.name}")

    def float_products(self, element: Element) -> dict[int, int]:
        """Columns -> address of an element type's float product."""

        def write(module: Any) -> None:
            for count in FLOAT_COLUMNS:
                FloatTile(module, self.processor, element, count).write()

        self._load(element, write)
        return {count: self._code.address(f"float_{element}_{count}") for count in FLOAT_COLUMNS}

    def quantize_row(self) -> int:
        """Address of ``quantize_row``."""
        self._load(QUANTIZE_ROW, lambda module: QuantizeRow(module, self.processor).write())
        return self._code.address(QUANTIZE_ROW)

    def _load(self, name: str, write: Callable[[Any], None]) -> None:
        if name not in self._loaded:
            self._code.load(name, write)
            self._loaded.add(name)
