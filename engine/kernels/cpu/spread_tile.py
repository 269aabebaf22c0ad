"""Generates the taking apart of packed codes, once for many rows instead of once for each four.

``void spread(w, records, out)``: out gets the same records as
``Layout.spread_out`` describes them, without rounding anything.
With AVX2 a product of four rows spends a sixth of its instructions on codes and scales.
"""

from __future__ import annotations

from typing import Any

from engine.kernels.cpu.dot import STEPS, CodeReader
from engine.kernels.cpu.emitter import F16, F32, Emitter, Value, vector
from engine.kernels.cpu.layout import TILE_ROWS, Layout
from engine.kernels.cpu.processor import DotProduct, Processor


def is_worth_spreading(processor: Processor, layout: Layout) -> bool:
    """Whether many rows gain by it, as measured: codes of 4 bits without a minimum do not."""
    return processor.dot is DotProduct.MADDUBS and (layout.minimum or layout.bits > 4)


class SpreadTile:
    """One generated function for a layout."""

    def __init__(self, module: Any, processor: Processor, layout: Layout) -> None:
        self.name = f"spread_{layout.name}"
        self._emit = Emitter(module, processor, self.name, ("w", "records", "out"))
        self._layout = layout
        self._lanes = processor.lanes

    def write(self) -> None:
        """Emit the function."""
        emit, given = self._emit, self._emit.arguments
        layout, target = self._layout, self._layout.spread_out()
        with emit.loop(given["records"]) as record:
            w = emit.add(given["w"], emit.times(record, layout.record_bytes))
            out = emit.add(given["out"], emit.times(record, target.record_bytes))
            for part in range(TILE_ROWS // self._lanes):
                for block in range(layout.blocks):
                    self._codes(
                        emit.add(w, block * layout.block_bytes),
                        emit.add(out, block * target.block_bytes),
                        part,
                    )
                for scale in range(layout.scales):
                    self._scales(w, out, scale, part)
        emit.end()

    def _codes(self, block: Value, out: Value, part: int) -> None:
        emit = self._emit
        reader = CodeReader(emit, self._layout, block, part)
        for step in range(STEPS):
            if self._layout.bits == 8:
                vectors = [reader.words(step, half) for half in (0, 1)]
            else:
                vectors = [reader.codes(step)]
            for number, value in enumerate(vectors, start=step * len(vectors)):
                emit.store(value, emit.add(out, 64 * number + part * 4 * self._lanes), 32)

    def _scales(self, record: Value, out: Value, scale: int, part: int) -> None:
        emit, layout, target = self._emit, self._layout, self._layout.spread_out()
        offsets = [(layout.scales_at, target.scales_at)]
        if layout.minimum:
            offsets.append((layout.minima_at, target.minima_at))
        width = 4 if layout.wide else 2
        kind = vector(F32 if layout.wide else F16, self._lanes)
        for source, place in offsets:
            at = source + scale * layout.scale_bytes + part * self._lanes * width
            value = emit.load(kind, emit.add(record, at), min(32, self._lanes * width))
            given = value if layout.wide else emit.floats(value)
            at = place + scale * target.scale_bytes + part * self._lanes * 4
            emit.store(given, emit.add(out, at), 32)
