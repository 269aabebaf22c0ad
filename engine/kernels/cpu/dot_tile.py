"""Generates dot products of rows with rows: keys that lie as values do, a token's side by side.

``void name(w, rows, row_step, columns, x, x_step, y, y_step)``: ``y[c][r] = sum over k of
w[r][k] * x[c][k]`` for ``queries`` rows of float32 x. ``columns`` is a multiple of 16: rows are
padded with zeros.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from engine.kernels.cpu.emitter import F32, I32, Emitter, Value, constant, vector
from engine.kernels.cpu.float_tile import Element, float_lanes
from engine.kernels.cpu.processor import Processor

ARGUMENTS = ("w", "rows", "row_step", "columns", "x", "x_step", "y", "y_step")


class DotTile:
    """One generated function: an element type and a number of queries."""

    def __init__(self, module: Any, processor: Processor, element: Element, queries: int) -> None:
        self.name = f"dots_{element}_{queries}"
        self._emit = Emitter(module, processor, self.name, ARGUMENTS)
        self._element = element
        self._queries = queries
        self._lanes = processor.lanes
        self._float = vector(F32, processor.lanes)

    def write(self) -> None:
        """Emit the function: steps of as many rows as registers hold, then the rows left."""
        emit, given = self._emit, self._emit.arguments
        wide = max(1, 2 * emit.processor.columns // self._queries)
        many = emit.build.sdiv(given["rows"], emit.number(wide))
        with emit.loop(many) as index:
            self._rows(emit.times(index, wide), wide)
        if wide > 1:
            done = emit.times(many, wide)
            with emit.loop(emit.build.sub(given["rows"], done)) as index:
                self._rows(emit.add(done, index), 1)
        emit.end()

    def _rows(self, first: Value, count: int) -> None:
        """The products of ``count`` neighbouring rows with all queries."""
        emit, given = self._emit, self._emit.arguments
        sums = [[emit.variable(self._float) for _ in range(self._queries)] for _ in range(count)]
        for totals in sums:
            for total in totals:
                emit.set(total, constant(self._float, 0.0))
        base = emit.add(given["w"], emit.times(first, given["row_step"]))
        with emit.loop(emit.build.sdiv(given["columns"], emit.number(self._lanes))) as k:
            along = emit.times(k, 4 * self._lanes)
            queries = [
                emit.load(
                    self._float,
                    emit.add(given["x"], emit.times(given["x_step"], query), along),
                    4,
                )
                for query in range(self._queries)
            ]
            inside = emit.add(base, emit.times(k, self._lanes * self._element.nbytes))
            for row, totals in enumerate(sums):
                w = float_lanes(
                    emit,
                    self._element,
                    emit.add(inside, emit.times(given["row_step"], row)),
                )
                for total, x in zip(totals, queries, strict=True):
                    emit.set(total, emit.fma(w, x, emit.get(total, self._float)))
        for row, totals in enumerate(sums):
            at = emit.add(given["y"], emit.times(first, 4), 4 * row)
            for query, total in enumerate(totals):
                address = emit.add(at, emit.times(given["y_step"], query))
                emit.store(self._sum(emit.get(total, self._float)), address, 4)

    def _sum(self, value: Value) -> Value:
        """The sum of a vector's lanes: halves are added until one is left."""
        build, lanes = self._emit.build, self._lanes
        while lanes > 1:
            lanes //= 2
            orders = (list(range(start, start + lanes)) for start in (0, lanes))
            low, high = (
                build.shuffle_vector(value, value, ir.Constant(vector(I32, lanes), order))
                for order in orders
            )
            value = build.fadd(low, high)
        return build.extract_element(value, ir.Constant(I32, 0))
