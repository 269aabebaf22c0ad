"""Generates the quantization of activations to integers, 32 columns a scale.

``void quantize_row(x, blocks, out)``: x is float32; out gets blocks as ``layout.py`` describes
them. The scale is the largest magnitude / the form's largest code, so that codes stay within
what the dot products rely on.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from engine.kernels.cpu.emitter import F32, I8, I16, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import BLOCK, BYTES, DIGITS, Activations
from engine.kernels.cpu.processor import Processor

HALF = BLOCK // 2
_PAIRS = [4 * four + place for four in range(HALF // 4) for place in (0, 2, 1, 3)]


def quantize_name(form: Activations) -> str:
    """The function's name."""
    return f"quantize_{form.name}"


class QuantizeRow:
    """The generated function for one form."""

    def __init__(self, module: Any, processor: Processor, form: Activations) -> None:
        self._form = form
        self._emit = Emitter(module, processor, quantize_name(form), ("x", "blocks", "out"))

    @property
    def _apart(self) -> int:
        """Bytes between neighbouring codes, or between their high digits."""
        return 1 if self._form is DIGITS else self._form.code_bytes

    def write(self) -> None:
        """Emit the function."""
        emit, given, form = self._emit, self._emit.arguments, self._form
        kind = vector(F32, HALF)
        with emit.loop(given["blocks"]) as block:
            x = emit.add(given["x"], emit.times(block, 4 * BLOCK))
            out = emit.add(given["out"], emit.times(block, form.block_bytes))
            halves = [emit.load(kind, emit.add(x, 4 * HALF * half), 4) for half in (0, 1)]
            largest = self._largest(halves)
            scale = emit.build.fmul(largest, constant(F32, 1 / form.largest))
            some = emit.build.fcmp_ordered(">", largest, constant(F32, 1e-30))
            inverse = emit.build.fdiv(constant(F32, float(form.largest)), largest)
            inverse = emit.build.select(some, inverse, constant(F32, 0.0))
            sums = [
                self._codes(half, inverse, emit.add(out, HALF * index * self._apart))
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
        if self._form is DIGITS:
            self._store_digits(codes, out)
        else:
            emit.store(self._narrow(codes), out, 1)
        return emit.call(f"llvm.vector.reduce.add.v{HALF}i32", I32, codes)

    def _store_digits(self, codes: Value, out: Value) -> None:
        """The low digit is -128 to 127, and what it lacks is in the high one: at most 127."""
        emit, build = self._emit, self._emit.build
        bytes_of, eight = vector(I8, HALF), constant(codes.type, 8)
        low = build.trunc(codes, bytes_of)
        rest = build.sub(codes, build.sext(low, codes.type))
        emit.store(build.trunc(build.ashr(rest, eight), bytes_of), out, 1)
        emit.store(low, emit.add(out, BLOCK), 1)

    def _narrow(self, codes: Value) -> Value:
        build = self._emit.build
        if self._form is BYTES:
            return build.trunc(codes, vector(I8, HALF))
        words = build.trunc(codes, vector(I16, HALF))
        return build.shuffle_vector(words, words, ir.Constant(vector(I32, HALF), _PAIRS))

    def _tail(self, out: Value, scale: Value, sums: list[Value]) -> None:
        emit, form = self._emit, self._form
        total = emit.build.add(sums[0], sums[1])
        scaled = emit.build.fmul(scale, emit.build.sitofp(total, F32))
        minus = ir.Constant(I32, -form.zero)
        emit.store(scale, emit.add(out, form.scale_at), 4)
        emit.store(scaled, emit.add(out, form.scaled_sum_at), 4)
        emit.store(emit.build.mul(total, minus), emit.add(out, form.sum_at), 4)
        emit.store(emit.build.mul(sums[0], minus), emit.add(out, form.half_sum_at), 4)
