"""Generates products with activations of two digits: 16 bits for one more dot product a vector.

While rows are few a product waits for memory, and the second dot product is over before the next
codes come. The rows whose logits are wanted have them: there are few in any step, of a reply as of
a prompt, so a token's rounding is the same whatever stands beside it and whatever the cache held.
"""

from __future__ import annotations

from engine.kernels.cpu.emitter import I8, I32, Value, constant, vector
from engine.kernels.cpu.layout import BLOCK, DIGITS, TILE_ROWS, Activations, Layout
from engine.kernels.cpu.processor import DotProduct, Processor
from engine.kernels.cpu.quantized_tile import QuantizedTile

DIGIT_BITS = 8


def multiplies_digits(processor: Processor) -> bool:
    """Whether a second digit costs a product of few rows nothing, as measured: VNNI."""
    return processor.dot is DotProduct.VNNI


def fine_columns(processor: Processor) -> tuple[int, ...]:
    """The numbers of rows that such products are generated for: two sums for each in registers."""
    most = 8 if processor.lanes == TILE_ROWS else 2
    return tuple(count for count in (1, 2, 4, 8) if count <= most)


def fine_name(layout: Layout, columns: int) -> str:
    """The function's name."""
    return f"fine_{layout.name}_{columns}"


class FineTile(QuantizedTile):
    """One generated function: a layout and a number of columns."""

    def named(self, layout: Layout, columns: int, tiles: int) -> str:
        """The function's name."""
        return fine_name(layout, columns)

    def activations(self, processor: Processor, layout: Layout) -> Activations:
        """Two digits, whatever the layout."""
        return DIGITS

    def _integer_sums(
        self, block: Value, x: list[Value], steps: range, scale: int
    ) -> list[list[Value]]:
        """[part][column] sums of both digits; the low ones begin with what stands for 0."""
        emit, readers = self._emit, self._readers(block)
        parts = range(len(readers))
        zero = constant(vector(I32, self._lanes), 0)
        lows = [[self._integer_start(at, scale) for at in x] for _ in parts]
        highs = [[zero for _ in x] for _ in parts]
        for step in steps:
            codes = [reader.codes(step) for reader in readers]
            for column, at in enumerate(x):
                for sums, digit in ((highs, 0), (lows, BLOCK)):
                    four = self._broadcast(emit.add(at, 4 * step + digit))
                    for part in parts:
                        sums[part][column] = self._dot(sums[part][column], codes[part], four)
        bits = constant(zero.type, DIGIT_BITS)
        for part in parts:
            for column, high in enumerate(highs[part]):
                moved = emit.build.shl(high, bits)
                lows[part][column] = emit.build.add(moved, lows[part][column])
        return lows

    def _broadcast(self, address: Value) -> Value:
        """Four digits, in every lane."""
        spread = self._emit.splat(self._emit.load(I32, address, 4), self._lanes)
        return self._emit.build.bitcast(spread, vector(I8, 4 * self._lanes))

    def _dot(self, total: Value, codes: Value, x: Value) -> Value:
        name = f"llvm.x86.avx512.vpdpbusd.{32 * self._lanes}"
        return self._emit.call(name, total.type, total, codes, x)
