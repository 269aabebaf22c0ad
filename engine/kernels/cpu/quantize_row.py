"""Generates the quantization of activations to int8, 32 columns a scale.

``void quantize_row(x, blocks, out)``: x is float32; out gets blocks as ``layout.py`` describes
them. The scale is the largest magnitude / 127, so codes stay within -127…127, which the dot
products rely on.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from engine.kernels.cpu.emitter import F32, I8, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import (
    ACTIVATION_BYTES,
    BLOCK,
    HALF_SUM_AT,
    SCALE_AT,
    SCALED_SUM_AT,
    SUM_AT,
)
from engine.kernels.cpu.processor import Processor

NAME = "quantize_row"
HALF = BLOCK // 2


class QuantizeRow:
    """The generated function."""

    def __init__(self, module: Any, processor: Processor) -> None:
        self.name = NAME
        self._emit = Emitter(module, processor, NAME, ("x", "blocks", "out"))

    def write(self) -> None:
        """Emit the function."""
        emit, given = self._emit, self._emit.arguments
        kind = vector(F32, HALF)
        with emit.loop(given["blocks"]) as block:
            x = emit.add(given["x"], emit.times(block, 4 * BLOCK))
            out = emit.add(given["out"], emit.times(block, ACTIVATION_BYTES))
            halves = [emit.load(kind, emit.add(x, 4 * HALF * half), 4) for half in (0, 1)]
            largest = self._largest(halves)
            scale = emit.build.fmul(largest, constant(F32, 1 / 127))
            some = emit.build.fcmp_ordered(">", largest, constant(F32, 1e-30))
            inverse = emit.build.fdiv(constant(F32, 127.0), largest)
            inverse = emit.build.select(some, inverse, constant(F32, 0.0))
            sums = [
                self._codes(half, inverse, emit.add(out, HALF * index))
                for index, half in enumerate(halves)
            ]
            self._tail(out, scale, sums)
        emit.end()

    def _largest(self, halves: list[Value]) -> Value:
        emit = self._emit
        kind = halves[0].type
        sizes = [emit.call(f"llvm.fabs.v{HALF}f32", kind, half) for half in halves]
        both = emit.call(f"llvm.maxnum.v{HALF}f32", kind, *sizes)
        return emit.call(f"llvm.vector.reduce.fmax.v{HALF}f32", F32, both)

    def _codes(self, half: Value, inverse: Value, out: Value) -> Value:
        """Store 16 codes; give their sum."""
        emit = self._emit
        scaled = emit.build.fmul(half, emit.splat(inverse, HALF))
        rounded = emit.call(f"llvm.rint.v{HALF}f32", half.type, scaled)
        codes = emit.build.fptosi(rounded, vector(I32, HALF))
        emit.store(emit.build.trunc(codes, vector(I8, HALF)), out, 1)
        return emit.call(f"llvm.vector.reduce.add.v{HALF}i32", I32, codes)

    def _tail(self, out: Value, scale: Value, sums: list[Value]) -> None:
        emit = self._emit
        total = emit.build.add(sums[0], sums[1])
        scaled = emit.build.fmul(scale, emit.build.sitofp(total, F32))
        minus_eight = ir.Constant(I32, -8)
        emit.store(scale, emit.add(out, SCALE_AT), 4)
        emit.store(scaled, emit.add(out, SCALED_SUM_AT), 4)
        emit.store(emit.build.mul(total, minus_eight), emit.add(out, SUM_AT), 4)
        emit.store(emit.build.mul(sums[0], minus_eight), emit.add(out, HALF_SUM_AT), 4)
