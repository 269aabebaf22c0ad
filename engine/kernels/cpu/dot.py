"""Integer dot products of a block: 16 rows x 32 unsigned codes with 32 signed activations.

Exact in 32 bits on every processor, for all codes and all activations of their form. VNNI and ARM
add four products straight into 32 bits. ``vpmaddubsw`` adds two products into 16 bits with
saturation, so the generator counts how many steps fit (2 * 127 * largest code each: 8 steps of
4-bit codes, 4 of 5-bit, 2 of 6-bit) before it widens. Not even one step of 8-bit codes fits: they
are multiplied in 16 bits by ``vpmaddwd``, which adds two products into 32. Two products an
instruction instead of four, but nothing to widen and no second digit to sum; and activations of 16
bits cost nothing then, so they are 128 times finer than bytes. ``vpdpbusd`` could multiply 8-bit
codes with bytes at twice the speed of ``vpdpwssd``, and does not: with it prompts of Q8_0 would be
1.6 times as fast, tokens no faster, and most of what bytes lose would be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from llvmlite import ir

from engine.kernels.cpu.emitter import I8, I16, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import BYTES, WORDS, Activations, Layout
from engine.kernels.cpu.processor import DotProduct, Processor

STEPS = 8
"""Steps of four inputs in a block of 32."""


def activations_for(processor: Processor, layout: Layout) -> Activations:
    """The form of activations that products of this layout take."""
    return WORDS if processor.dot is not DotProduct.SDOT and layout.bits == 8 else BYTES


class CodeReader:
    """Reads the codes of one block as byte vectors, step by step, for one part of the 16 rows.

    Loads that serve several steps are emitted once.
    """

    def __init__(self, emit: Emitter, layout: Layout, block: Value, part: int) -> None:
        self._emit = emit
        self._layout = layout
        self._bytes = emit.processor.lanes * 4
        self._base = emit.add(block, part * self._bytes)
        self._loaded: dict[int, Value] = {}

    def _vector(self, index: int) -> Value:
        if index not in self._loaded:
            kind = vector(I8, self._bytes)
            address = self._emit.add(self._base, index * 64)
            self._loaded[index] = self._emit.load(kind, address, 32)
        return self._loaded[index]

    def _shift(self, value: Value, right: int) -> Value:
        """Shift by 16-bit lanes, because x86 has no byte shifts; the caller masks what leaks."""
        if right == 0:
            return value
        build = self._emit.build
        words = vector(I16, self._bytes // 2)
        wide = build.bitcast(value, words)
        moved = (
            build.lshr(wide, constant(words, right))
            if right > 0
            else build.shl(wide, constant(words, -right))
        )
        return build.bitcast(moved, value.type)

    def _masked(self, value: Value, mask: int) -> Value:
        return self._emit.build.and_(value, constant(value.type, mask))

    def _low(self, step: int) -> Value:
        return self._masked(self._shift(self._vector(step // 2), 4 * (step % 2)), 15)

    def codes(self, step: int) -> Value:
        """All bits of the codes of one step."""
        bits = self._layout.bits
        if bits == 8 or self._layout.spread:
            return self._vector(step)
        low = self._low(step)
        if bits == 4:
            return low
        if bits == 5:
            high = self._masked(self._shift(self._vector(4), step - 4), 16)
        else:
            high = self._masked(self._shift(self._vector(4 + step // 4), 2 * (step % 4) - 4), 48)
        return self._emit.build.or_(low, high)

    def words(self, step: int, half: int) -> Value:
        """8-bit codes of one step in 16 bits: the first and third of each four, or the others."""
        build, kind = self._emit.build, vector(I16, self._bytes // 2)
        if self._layout.spread:
            return build.bitcast(self._vector(2 * step + half), kind)
        both = build.bitcast(self._vector(step), kind)
        if half == 0:
            return build.and_(both, constant(kind, 255))
        return build.lshr(both, constant(kind, 8))


Activation = Callable[[int, int], Value]
"""(column, index) -> four bytes of a column's activations, as one 32-bit integer."""


Start = Callable[[int], Value]
"""(column) -> what its sums start from."""


@dataclass(slots=True)
class _Short:
    """A sum in 16 bits that may still grow by ``room``."""

    value: Value
    room: int


class BlockDot:
    """Emits the sums of one block (or half a block) for all parts of the rows and all columns.

    Args:
        emit: where to.
        layout: the weight's.
        readers: of the block's codes, one for each part of the rows.
        columns: activation rows.
        activation: loads four activations of a column and step.
    """

    def __init__(
        self,
        emit: Emitter,
        layout: Layout,
        readers: list[CodeReader],
        columns: int,
        activation: Activation,
    ) -> None:
        self._emit = emit
        self._layout = layout
        self._readers = readers
        self._columns = columns
        self._activation = activation
        self._lanes = emit.processor.lanes
        self.parts = len(readers)

    def sums(self, steps: range, start: Start) -> list[list[Value]]:
        """[part][column] vectors of int32: ``start(column)`` + codes · activations."""
        if activations_for(self._emit.processor, self._layout) is WORDS:
            return self._words(steps, start)
        if self._emit.processor.dot in {DotProduct.VNNI, DotProduct.SDOT}:
            return self._quads(steps, start)
        return self._pairs(steps, start)

    def _quads(self, steps: range, start: Start) -> list[list[Value]]:
        begin = [start(column) for column in range(self._columns)]
        sums = [list(begin) for _ in range(self.parts)]
        for step in steps:
            codes = [reader.codes(step) for reader in self._readers]
            for column in range(self._columns):
                x = self._broadcast(self._activation(column, step))
                for part in range(self.parts):
                    sums[part][column] = self._quad(sums[part][column], codes[part], x)
        return sums

    def _quad(self, total: Value, codes: Value, x: Value) -> Value:
        kind = vector(I32, self._lanes)
        if self._emit.processor.dot is DotProduct.VNNI:
            name = f"llvm.x86.avx512.vpdpbusd.{32 * self._lanes}"
            return self._emit.call(name, kind, total, codes, x)
        signed = codes
        if self._layout.bits == 8:
            signed = self._emit.build.xor(codes, constant(codes.type, 0x80))
        return self._emit.call("llvm.aarch64.neon.sdot.v4i32.v16i8", kind, total, signed, x)

    def _broadcast(self, four: Value) -> Value:
        spread = self._emit.splat(four, self._lanes)
        return self._emit.build.bitcast(spread, vector(I8, 4 * self._lanes))

    def _words(self, steps: range, start: Start) -> list[list[Value]]:
        begin = [start(column) for column in range(self._columns)]
        sums = [list(begin) for _ in range(self.parts)]
        for step, half in product(steps, (0, 1)):
            words = [reader.words(step, half) for reader in self._readers]
            for column in range(self._columns):
                x = self._broadcast(self._activation(column, 2 * step + half))
                for part in range(self.parts):
                    sums[part][column] = self._add_words(sums[part][column], words[part], x)
            if self._emit.processor.dot is not DotProduct.VNNI:
                settled = iter(self._emit.settle([total for row in sums for total in row]))
                sums = [[next(settled) for _ in row] for row in sums]
        return sums

    def _add_words(self, total: Value, codes: Value, x: Value) -> Value:
        """Add the products of int16."""
        x = self._emit.build.bitcast(x, codes.type)
        if self._emit.processor.dot is DotProduct.VNNI:
            name = f"llvm.x86.avx512.vpdpwssd.{32 * self._lanes}"
            return self._emit.call(name, total.type, total, codes, x)
        return self._emit.build.add(total, self._word_pair(codes, x))

    def _word_pair(self, codes: Value, x: Value) -> Value:
        """int32 sums of neighbouring products of int16."""
        emit, kind = self._emit, vector(I32, self._lanes)
        if emit.processor.triple.startswith("x86"):
            unit = "avx2" if self._lanes == 8 else "sse2"
            return emit.call(f"llvm.x86.{unit}.pmadd.wd", kind, codes, x)
        products = []
        for place in (0, 1):
            lanes = ir.Constant(kind, list(range(place, 2 * self._lanes, 2)))
            w, a = (
                emit.build.sext(emit.build.shuffle_vector(value, value, lanes), kind)
                for value in (codes, x)
            )
            products.append(emit.build.mul(w, a))
        return emit.build.add(*products)

    def _pairs(self, steps: range, start: Start) -> list[list[Value]]:
        sums: dict[tuple[int, int], Value] = {}
        shorts: dict[tuple[int, int], _Short] = {}
        for step in steps:
            codes = [reader.codes(step) for reader in self._readers]
            for column in range(self._columns):
                x = self._broadcast(self._activation(column, step))
                for part in range(self.parts):
                    self._add_pair(shorts, (part, column), self._pair(codes[part], x), sums)
            if len(shorts) <= 8:
                self._settle(shorts)
        for key, short in shorts.items():
            self._widen_into(sums, key, short.value)
        for column in range(self._columns):
            begin = start(column)  # late: it would hold a register all the while
            for part in range(self.parts):
                sums[part, column] = self._emit.build.add(sums[part, column], begin)
        return [
            [sums[part, column] for column in range(self._columns)] for part in range(self.parts)
        ]

    def _settle(self, shorts: dict[tuple[int, int], _Short]) -> None:
        settled = self._emit.settle([short.value for short in shorts.values()])
        for short, value in zip(shorts.values(), settled, strict=True):
            short.value = value

    def _add_pair(
        self,
        shorts: dict[tuple[int, int], _Short],
        key: tuple[int, int],
        product: Value,
        sums: dict[tuple[int, int], Value],
    ) -> None:
        """Add the products to a 16-bit sum; widen the old sum first when it could overflow."""
        most = 2 * BYTES.largest * ((1 << self._layout.bits) - 1)
        short = shorts.get(key)
        if short is not None and short.room < most:
            self._widen_into(sums, key, short.value)
            short = None
        if short is None:
            shorts[key] = _Short(product, 32767 - most)
        else:
            short.value = self._emit.build.add(short.value, product)
            short.room -= most

    def _pair(self, codes: Value, x: Value) -> Value:
        """int16 sums of neighbouring products, unsigned x signed bytes."""
        kind = vector(I16, 2 * self._lanes)
        if self._emit.processor.dot is DotProduct.MADDUBS:
            return self._emit.call("llvm.x86.avx2.pmadd.ub.sw", kind, codes, x)
        build = self._emit.build
        eight = constant(kind, 8)
        w, a = build.bitcast(codes, kind), build.bitcast(x, kind)
        even = build.mul(build.and_(w, constant(kind, 255)), build.ashr(build.shl(a, eight), eight))
        return build.add(even, build.mul(build.lshr(w, eight), build.ashr(a, eight)))

    def _widen_into(
        self, sums: dict[tuple[int, int], Value], key: tuple[int, int], short: Value
    ) -> None:
        """Add the sums of neighbouring int16 to a 32-bit sum."""
        wide = self._widened(short)
        sums[key] = self._emit.build.add(sums[key], wide) if key in sums else wide

    def _widened(self, short: Value) -> Value:
        kind = vector(I32, self._lanes)
        build = self._emit.build
        if self._emit.processor.dot is DotProduct.MADDUBS:
            ones = constant(short.type, 1)
            return self._emit.call("llvm.x86.avx2.pmadd.wd", kind, short, ones)
        wide = build.bitcast(short, kind)
        half = ir.Constant(kind, [16] * self._lanes)
        low = build.ashr(build.shl(wide, half), half)
        return build.add(low, build.ashr(wide, half))
