"""Generates the matrix product of quantized weights with integer activations, for one layout.

``void product(w, tiles, records, x, x_step, start, start_step, y, y_step)``: all addresses and byte
counts. For each tile of 16 rows and each of ``columns`` activation rows (``x_step`` bytes apart),
``y = start + W x`` in float32; ``start`` is 0 (nothing), a bias (``start_step`` 0) or the residual.

Where vectors are as wide as a tile, two tiles side by side (``w_step`` bytes apart) share what is
read of the activations: ``void product(w, w_step, ahead, records, x, …, y_step)``. One tile alone
keeps the two reads a cycle that processors have as busy as their two multipliers: 380 GMAC/s on a
core of Zen 5 with 4 bits, where a pair has 405 and the multipliers could do 427. The cache line
``ahead`` bytes on from each that is read is asked of memory, for the second-level cache.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from engine.kernels.cpu.dot import STEPS, BlockDot, CodeReader, activations_for
from engine.kernels.cpu.emitter import F16, F32, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import (
    TILE_ROWS,
    Activations,
    Layout,
)
from engine.kernels.cpu.processor import DotProduct, Processor

AHEAD, AHEAD_WIDE = 3072, 8192
"""Bytes of a weight between what is multiplied and what is asked of memory, the second where
vectors are as wide as a tile. Processors read ahead by themselves, but not past a page of 4 KiB,
whose first lines would be waited for every time. On Zen 3 2 to 4 KiB were equally good, on Zen 5
8 KiB read a fifth faster than 3."""
STREAMING_COLUMNS, STREAMING_COLUMNS_WIDE = 2, 8
"""Up to so many columns a weight comes from memory; with more, arithmetic takes longer, or there
are pairs of tiles where vectors are as wide as a tile."""
LINE = 64

_SAME = ("records", "x", "x_step", "start", "start_step", "y", "y_step")
ARGUMENTS, PAIR_ARGUMENTS = ("w", "tiles", *_SAME), ("w", "w_step", "ahead", *_SAME)
PAIR = 2
"""Tiles side by side."""
PAIR_COLUMNS = 4
"""Columns of a pair of tiles; 5 or 6 are no faster, and prompts come in multiples of 4."""


def multiplies_pairs(processor: Processor) -> bool:
    """Whether tiles are multiplied two at a time where there are many rows."""
    return processor.lanes == TILE_ROWS and processor.dot is DotProduct.VNNI


def bytes_ahead(processor: Processor) -> int:
    """How far on a weight is asked of memory while few rows stream it by."""
    return AHEAD_WIDE if processor.lanes == TILE_ROWS else AHEAD


def streaming_columns(processor: Processor) -> int:
    """Columns up to which a product asks for its weights ahead."""
    return STREAMING_COLUMNS_WIDE if multiplies_pairs(processor) else STREAMING_COLUMNS


def product_name(layout: Layout, columns: int, tiles: int = 1) -> str:
    """The function's name."""
    return f"product_{layout.name}_{columns}" + ("_pair" if tiles == PAIR else "")


class QuantizedTile:
    """One generated function: a layout, and numbers of columns and of tiles side by side."""

    def __init__(
        self, module: Any, processor: Processor, layout: Layout, columns: int, tiles: int = 1
    ) -> None:
        self.name = self.named(layout, columns, tiles)
        arguments = PAIR_ARGUMENTS if tiles == PAIR else ARGUMENTS
        self._emit = Emitter(module, processor, self.name, arguments)
        self._layout = layout
        self._columns = columns
        self._form = self.activations(processor, layout)
        self._lanes = processor.lanes
        self._tiles = tiles
        self._tile_parts = TILE_ROWS // processor.lanes
        self._parts = tiles * self._tile_parts
        self._float = vector(F32, processor.lanes)
        self._sums = [
            [self._emit.variable(self._float) for _ in range(columns)] for _ in range(self._parts)
        ]

    def named(self, layout: Layout, columns: int, tiles: int) -> str:
        """The function's name."""
        return product_name(layout, columns, tiles)

    def activations(self, processor: Processor, layout: Layout) -> Activations:
        """The form of activations that it takes."""
        return activations_for(processor, layout)

    def write(self) -> None:
        """Emit the function."""
        emit, given = self._emit, self._emit.arguments
        if self._tiles == PAIR:
            self._tile(given["w"], emit.number(0))
        else:
            tile_bytes = emit.times(given["records"], self._layout.record_bytes)
            with emit.loop(given["tiles"]) as tile:
                along = emit.times(tile, 4 * TILE_ROWS)
                self._tile(emit.add(given["w"], emit.times(tile, tile_bytes)), along)
        emit.end()

    def _tile(self, w: Value, along: Value) -> None:
        """All records of a tile, or of a pair."""
        emit, given = self._emit, self._emit.arguments
        self._begin(along)
        with emit.loop(given["records"]) as record:
            at = emit.add(w, emit.times(record, self._layout.record_bytes))
            step = self._form.block_bytes * self._layout.blocks
            self._record(at, emit.add(given["x"], emit.times(record, step)))
        self._finish(along)

    def _on(self, place: Value, tile: int) -> Value:
        """The same place of a tile as of the first."""
        return self._emit.add(place, self._emit.arguments["w_step"]) if tile else place

    def _address(self, name: str, along: Value, column: int, part: int) -> Value:
        emit, given = self._emit, self._emit.arguments
        step = emit.times(given[f"{name}_step"], column)
        return emit.add(given[name], along, step, part * 4 * self._lanes)

    def _begin(self, along: Value) -> None:
        """Set the sums to ``start``, or to 0 where there is none."""
        emit = self._emit
        for row in self._sums:
            for total in row:
                emit.set(total, constant(self._float, 0.0))
        there = emit.build.icmp_signed("!=", emit.arguments["start"], emit.number(0))
        with emit.build.if_then(there):
            for part, row in enumerate(self._sums):
                for column, total in enumerate(row):
                    address = self._address("start", along, column, part)
                    emit.set(total, emit.load(self._float, address, 4))

    def _finish(self, along: Value) -> None:
        for part, row in enumerate(self._sums):
            for column, total in enumerate(row):
                address = self._address("y", along, column, part)
                self._emit.store(self._emit.get(total, self._float), address, 4)

    def _record(self, record: Value, x: Value) -> None:
        self._ask(record)
        per_block = 2 if self._layout.group == 16 else 1
        for block in range(self._layout.blocks):
            at = self._emit.add(record, block * self._layout.block_bytes)
            blocks = [
                self._emit.add(
                    x,
                    self._emit.times(self._emit.arguments["x_step"], column),
                    block * self._form.block_bytes,
                )
                for column in range(self._columns)
            ]
            for half in range(per_block):
                steps = range(half * STEPS // per_block, (half + 1) * STEPS // per_block)
                self._group(record, at, blocks, steps, half)

    def _ask(self, record: Value) -> None:
        """Ask for weights that come later, if they come from memory."""
        emit, lines = self._emit, range(0, self._layout.record_bytes, LINE)
        if self._tiles == PAIR:
            for tile, line in product(range(PAIR), lines):
                emit.prefetch(self._on(emit.add(record, emit.arguments["ahead"], line), tile), 2)
        elif self._columns <= streaming_columns(emit.processor):
            for line in lines:
                emit.prefetch(emit.add(record, bytes_ahead(emit.processor) + line))

    def _group(self, record: Value, block: Value, x: list[Value], steps: range, scale: int) -> None:
        """Add what one scale covers of one block: 32 inputs, or 16."""
        sums = self._integer_sums(block, x, steps, scale)
        for part in range(self._parts):
            factor = self._scales(record, self._layout.scales_at, scale, part)
            minimum = (
                self._scales(record, self._layout.minima_at, scale, part)
                if self._layout.minimum
                else None
            )
            for column, at in enumerate(x):
                self._accumulate(part, column, at, sums[part][column], factor, minimum, scale)

    def _readers(self, block: Value) -> list[CodeReader]:
        """Of a block's codes in each part of the rows of each tile."""
        return [
            CodeReader(self._emit, self._layout, self._on(block, tile), part)
            for tile, part in product(range(self._tiles), range(self._tile_parts))
        ]

    def _integer_sums(
        self, block: Value, x: list[Value], steps: range, scale: int
    ) -> list[list[Value]]:
        """[part][column] sums of products, less those of the code that stands for 0."""
        emit = self._emit

        def activation(column: int, index: int) -> Value:
            return emit.load(I32, emit.add(x[column], 4 * index), 4)

        dot = BlockDot(emit, self._layout, self._readers(block), self._columns, activation)
        return dot.sums(steps, lambda column: self._integer_start(x[column], scale))

    def _integer_start(self, x: Value, half: int) -> Value:
        """-zero * sum of the activations, in every lane."""
        kind = vector(I32, self._lanes)
        signed = self._emit.processor.dot is DotProduct.SDOT and self._layout.bits == 8
        if self._layout.zero == 0 or signed:
            return constant(kind, 0)
        times = self._layout.zero // self._form.zero
        sums = self._negative_sums(x, half)
        return sums if times == 1 else self._emit.build.mul(sums, constant(kind, times))

    def _negative_sums(self, x: Value, half: int) -> Value:
        """-(the form's zero) * sum of the activations that one scale covers, in every lane."""
        emit = self._emit
        if self._layout.group > 16:
            total = emit.load(I32, emit.add(x, self._form.sum_at), 4)
        else:
            total = emit.load(I32, emit.add(x, self._form.half_sum_at), 4)
            if half == 1:
                total = emit.build.sub(emit.load(I32, emit.add(x, self._form.sum_at), 4), total)
        return emit.splat(total, self._lanes)

    def _scales(self, record: Value, offset: int, scale: int, part: int) -> Value:
        width = 4 if self._layout.wide else 2
        tile, part = divmod(part, self._tile_parts)
        at = offset + scale * self._layout.scale_bytes + part * self._lanes * width
        kind = vector(F32 if self._layout.wide else F16, self._lanes)
        place = self._emit.add(self._on(record, tile), at)
        loaded = self._emit.load(kind, place, min(32, self._lanes * width))
        return loaded if self._layout.wide else self._emit.floats(loaded)

    def _accumulate(
        self,
        part: int,
        column: int,
        x: Value,
        integer: Value,
        factor: Value,
        minimum: Value | None,
        half: int,
    ) -> None:
        """Add scale * x_scale * integer sum, and minimum * x_scale * sum of the activations."""
        emit = self._emit
        x_scale = emit.splat(emit.load(F32, emit.add(x, self._form.scale_at), 4), self._lanes)
        total = emit.get(self._sums[part][column], self._float)
        value = emit.build.sitofp(integer, self._float)
        total = emit.fma(value, emit.build.fmul(factor, x_scale), total)
        if minimum is not None:
            total = emit.fma(minimum, self._scaled_sum(x, x_scale, half), total)
        emit.set(self._sums[part][column], total)

    def _scaled_sum(self, x: Value, x_scale: Value, half: int) -> Value:
        emit = self._emit
        if self._layout.group > 16:
            return emit.splat(emit.load(F32, emit.add(x, self._form.scaled_sum_at), 4), self._lanes)
        sums = emit.build.sitofp(self._negative_sums(x, half), self._float)
        factor = emit.build.fmul(x_scale, constant(self._float, -1 / self._form.zero))
        return emit.build.fmul(sums, factor)
