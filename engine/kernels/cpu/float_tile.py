"""Generates products of float weights with float activations: dense layers and attention.

``void name(w, groups, group_step, depth, depth_step, x, x_step, start, start_step, y, y_step,
ahead)``: ``y[c][16 g + lane] = start + sum over k of w[g][k][lane] * x[c][k]`` for every group g of
16 lanes and ``columns`` rows of x. Lanes are rows of a dense weight, tokens of a transposed page of
keys, or dimensions of a page of values: one loop serves the three. What lies ``ahead`` bytes from
each vector is asked of memory meanwhile.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from engine.kernels.cpu.emitter import F16, F32, I8, I16, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.layout import TILE_ROWS
from engine.kernels.cpu.processor import Processor

ARGUMENTS = (
    "w",
    "groups",
    "group_step",
    "depth",
    "depth_step",
    "x",
    "x_step",
    "start",
    "start_step",
    "y",
    "y_step",
    "ahead",
)


class Element(StrEnum):
    """What a weight or a cached value is stored as; the scales of ``I8`` are the caller's."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    I8 = "i8"

    @property
    def nbytes(self) -> int:
        """Bytes of one."""
        return {Element.F32: 4, Element.I8: 1}.get(self, 2)


class FloatTile:
    """One generated function: an element type and a number of columns."""

    def __init__(self, module: Any, processor: Processor, element: Element, columns: int) -> None:
        self.name = f"float_{element}_{columns}"
        self._emit = Emitter(module, processor, self.name, ARGUMENTS)
        self._element = element
        self._columns = columns
        self._lanes = processor.lanes
        self._float = vector(F32, processor.lanes)

    def write(self) -> None:
        """Emit the function: steps of several groups, then the groups that are left."""
        emit, given = self._emit, self._emit.arguments
        done: Value = emit.number(0)
        for wide in (4, 2, 1):
            if wide > 1 and 2 * wide * self._columns > 3 * emit.processor.columns:
                continue  # sums and what they are made of would not fit in the registers
            left = emit.build.sub(given["groups"], done)
            many = emit.build.sdiv(left, emit.number(wide))
            with emit.loop(many) as index:
                self._groups(emit.add(done, emit.times(index, wide)), wide)
            done = emit.add(done, emit.times(many, wide))
        emit.end()

    def _address(self, name: str, group: Value, offset: int, column: int) -> Value:
        emit, given = self._emit, self._emit.arguments
        along = emit.times(group, 4 * TILE_ROWS)
        return emit.add(given[name], along, emit.times(given[f"{name}_step"], column), offset)

    def _groups(self, first: Value, count: int) -> None:
        """The sums of ``count`` neighbouring groups."""
        emit, given = self._emit, self._emit.arguments
        parts = count * TILE_ROWS // self._lanes
        sums = [[emit.variable(self._float) for _ in range(self._columns)] for _ in range(parts)]
        self._begin(sums, first)
        base = emit.add(given["w"], emit.times(first, given["group_step"]))
        with emit.loop(given["depth"]) as k:
            row = emit.add(base, emit.times(k, given["depth_step"]))
            along = emit.times(k, 4)
            spread = [
                emit.splat(
                    emit.load(F32, emit.add(given["x"], emit.times(given["x_step"], c), along), 4),
                    self._lanes,
                )
                for c in range(self._columns)
            ]
            for group in range(count):
                step = emit.times(given["group_step"], group)
                emit.prefetch(emit.add(row, step, given["ahead"]))
            for part, totals in enumerate(sums):
                w = self._weights(row, part)
                for total, x in zip(totals, spread, strict=True):
                    emit.set(total, emit.fma(w, x, emit.get(total, self._float)))
        for part, totals in enumerate(sums):
            for column, total in enumerate(totals):
                address = self._address("y", first, part * 4 * self._lanes, column)
                emit.store(emit.get(total, self._float), address, 4)

    def _begin(self, sums: list[list[Value]], first: Value) -> None:
        emit = self._emit
        for totals in sums:
            for total in totals:
                emit.set(total, constant(self._float, 0.0))
        there = emit.build.icmp_signed("!=", emit.arguments["start"], emit.number(0))
        with emit.build.if_then(there):
            for part, totals in enumerate(sums):
                for column, total in enumerate(totals):
                    address = self._address("start", first, part * 4 * self._lanes, column)
                    emit.set(total, emit.load(self._float, address, 4))

    def _weights(self, row: Value, part: int) -> Value:
        """One vector of weights as float32."""
        emit = self._emit
        group, within = divmod(part * self._lanes, TILE_ROWS)
        step = emit.times(emit.arguments["group_step"], group)
        address = emit.add(row, step, within * self._element.nbytes)
        return float_lanes(emit, self._element, address)


def float_lanes(emit: Emitter, element: Element, address: Value) -> Value:
    """A vector of stored elements as float32."""
    lanes, align = emit.processor.lanes, element.nbytes
    wide = vector(F32, lanes)
    if element is Element.F32:
        return emit.load(wide, address, align)
    if element is Element.F16:
        return emit.floats(emit.load(vector(F16, lanes), address, align))
    if element is Element.I8:
        codes = emit.load(vector(I8, lanes), address, align)
        return emit.build.sitofp(emit.build.sext(codes, vector(I32, lanes)), wide)
    bits = emit.build.zext(emit.load(vector(I16, lanes), address, align), vector(I32, lanes))
    return emit.build.bitcast(emit.build.shl(bits, constant(bits.type, 16)), wide)
