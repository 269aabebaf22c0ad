"""Generates the way back: a tile of a quantized weight as float32, for embeddings and precise mode.

``void unpack(w, records, out)``: out is float32 [columns][16 rows], what ``FloatTile`` multiplies.
"""

from __future__ import annotations

from typing import Any

from engine.kernels.cpu.dot import STEPS, CodeReader
from engine.kernels.cpu.emitter import F16, F32, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import BLOCK, TILE_ROWS, Layout
from engine.kernels.cpu.processor import Processor


class UnpackTile:
    """One generated function for a layout."""

    def __init__(self, module: Any, processor: Processor, layout: Layout) -> None:
        self.name = f"unpack_{layout.name}"
        self._emit = Emitter(module, processor, self.name, ("w", "records", "out"))
        self._layout = layout
        self._lanes = processor.lanes

    def write(self) -> None:
        """Emit the function."""
        emit, given = self._emit, self._emit.arguments
        with emit.loop(given["records"]) as record:
            w = emit.add(given["w"], emit.times(record, self._layout.record_bytes))
            size = 4 * TILE_ROWS * self._layout.columns
            out = emit.add(given["out"], emit.times(record, size))
            for block in range(self._layout.blocks):
                for part in range(TILE_ROWS // self._lanes):
                    self._block(w, out, block, part)
        emit.end()

    def _block(self, record: Value, out: Value, block: int, part: int) -> None:
        emit, layout = self._emit, self._layout
        reader = CodeReader(emit, layout, emit.add(record, block * layout.block_bytes), part)
        ints = vector(I32, self._lanes)
        for step in range(STEPS):
            scale = step // 4 if layout.group == 16 else 0
            factor = self._scales(record, layout.scales_at, scale, part)
            codes = emit.build.bitcast(reader.codes(step), ints)
            for byte in range(4):
                one = emit.build.lshr(codes, constant(ints, 8 * byte))
                one = emit.build.and_(one, constant(ints, 255))
                value = emit.build.sitofp(
                    emit.build.sub(one, constant(ints, layout.zero)), factor.type
                )
                value = emit.build.fmul(value, factor)
                if layout.minimum:
                    value = emit.build.fadd(
                        value, self._scales(record, layout.minima_at, scale, part)
                    )
                at = (block * BLOCK + step * 4 + byte) * 4 * TILE_ROWS + part * 4 * self._lanes
                emit.store(value, emit.add(out, at), 4)

    def _scales(self, record: Value, offset: int, scale: int, part: int) -> Value:
        width = 4 if self._layout.wide else 2
        at = offset + scale * self._layout.scale_bytes + part * self._lanes * width
        kind = vector(F32 if self._layout.wide else F16, self._lanes)
        loaded = self._emit.load(kind, self._emit.add(record, at), min(32, self._lanes * width))
        return loaded if self._layout.wide else self._emit.floats(loaded)
