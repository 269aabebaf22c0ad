"""Writes a step as instructions with their tables, and owns the buffers between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor

from engine.kernels.cpu.compiling import Operation
from engine.kernels.cpu.matrices import PIECE_BYTES
from engine.kernels.cpu.matrix_tables import Needs, Prepared, working_bytes
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.norms import residual
from engine.kernels.cpu.products import prepare, product
from engine.kernels.cpu.tables import (
    BARRIER,
    BARRIER_IF_SHARED,
    BARRIER_IF_WANTED_SHARED,
    LAYER_NORM,
    NO_BARRIER,
    NO_NORM,
    PREPARE,
    PRODUCT,
    RESIDUAL,
    RMS_NORM,
    fill,
    float_bits,
)
from engine.kernels.cpu.threads import Instruction
from engine.kernels.cpu.weights import packed_here
from engine.kernels.interface import Packed
from engine.kernels.plan import LinearPlan, NormPlan

LINE = 128


class StepBuilder:
    """Collects instructions.

    Args:
        library: generated functions.
        threads: the most that will run the step.
        rows: the most that a step will have.
        precise: multiply with float activations.

    Attributes:
        instructions: so far.
        scratch: bytes that each thread needs.
    """

    def __init__(self, library: NativeLibrary, threads: int, rows: int, *, precise: bool) -> None:
        self.library = library
        self.rows = rows
        self.threads = threads
        self.precise = precise
        self.instructions: list[Instruction] = []
        self.scratch = 4096
        self._kept: list[Any] = []

    def buffer(self, size: int) -> int:
        """The address of zeroed memory that lives as long as this object."""
        memory = np.zeros(size + LINE, np.uint8)
        self._kept.append(memory)
        return -(-int(memory.ctypes.data) // LINE) * LINE

    def keep(self, held: Any) -> None:
        """Let something that a table points at live as long as this object."""
        self._kept.append(held)

    def table(self, kind: Any, figures: Mapping[str, int]) -> Any:
        """A table that lives as long as this object."""
        made = fill(kind, figures)
        self._kept.append(made)
        return made

    def add(self, operation: Operation, kind: Any, figures: Mapping[str, int], barrier: int) -> Any:
        """Append an instruction; gives its table."""
        made = self.table(kind, figures)
        self.instructions.append((operation, int(made.ctypes.data), barrier))
        return made

    def floats(self, values: Tensor | None) -> int:
        """The address of float32 values that live as long as this object; 0 for None."""
        if values is None:
            return 0
        held = values.float().contiguous()
        self._kept.append(held)
        return int(held.data_ptr())

    def matrix(self, packed: Packed) -> Any:
        """The ``MATRIX`` table of a weight."""
        held = packed_here(packed)
        self._kept.append(held)
        self.need_scratch(working_bytes(held) if self.precise else PIECE_BYTES)
        return held.table

    def need_scratch(self, size: int) -> None:
        """Have at least ``size`` bytes and some for each thread."""
        self.scratch = max(self.scratch, size + 8192)

    def norm(self, norm: NormPlan | None) -> dict[str, int]:
        """The figures of a norm."""
        if norm is None:
            return {"norm": NO_NORM}
        return {
            "norm": LAYER_NORM if norm.centred else RMS_NORM,
            "weight": self.floats(norm.weight),
            "bias": self.floats(norm.bias),
            "epsilon_bits": float_bits(norm.eps),
        }

    def prepared(self, needs: Needs) -> Prepared:
        """Buffers for rows that some weights multiply."""
        rows = needs.rows(self.rows, self.threads)
        steps = (needs.block_step, needs.float_step, needs.word_step)
        return Prepared(needs, *(self.buffer(rows * step) if step else 0 for step in steps))

    def prepare(
        self, x: int, x_step: int, norm: NormPlan | None, into: Prepared, *, selected: bool = False
    ) -> Any:
        """Normalize and quantize rows; with ``selected`` only those whose logits are wanted."""
        needs = into.needs
        self.need_scratch(needs.columns * 4 + 2048)
        figures = self.norm(norm) | into.preparing(self.library)
        figures |= {
            "x": x, "x_step": x_step, "columns": needs.columns, "selected": int(selected)
        }  # fmt: skip
        barrier = BARRIER_IF_WANTED_SHARED if selected else BARRIER_IF_SHARED
        return self.add(prepare, PREPARE, figures, barrier)

    def linear(
        self,
        linear: LinearPlan,
        x: Prepared,
        y: int,
        y_step: int,
        *,
        private: bool = True,
        add: bool = False,
        to_logits: bool = False,
    ) -> None:
        """``y = W x + bias``, or with ``add`` (and no bias) ``y += W x``; then a barrier.

        Args:
            linear: the weight's blocks.
            x: prepared rows.
            y: address of the first row; with ``to_logits`` an offset in the step's logits.
            y_step: bytes a row.
            private: x may stand in copies of the threads.
            add: onto what y holds.
            to_logits: only the wanted rows, into the step's logits.
        """
        bias, offset = self.floats(linear.bias), 0
        for number, packed in enumerate(linear.weights):
            matrix = self.matrix(packed)
            at = y + offset * 4
            start, start_step = (at, y_step) if add else (bias + offset * 4 if bias else 0, 0)
            figures = x.source(int(matrix["kind"][0]), private=private) | {
                "matrix": int(matrix.ctypes.data), "start": start, "start_step": start_step,
                "y": at, "y_step": y_step, "selected": int(to_logits), "to_logits": int(to_logits),
            }  # fmt: skip
            last = number == len(linear.weights) - 1
            self.add(product, PRODUCT, figures, BARRIER if last else NO_BARRIER)
            offset += packed.shape[0]

    def add_to_residual(
        self, x: int, y: int, columns: int, norm: NormPlan | None, scale: float
    ) -> None:
        """``x += scale * norm(y)``; then a barrier."""
        self.need_scratch(columns * 4)
        figures = self.norm(norm) | {
            "x": x, "x_step": columns * 4, "y": y, "y_step": columns * 4, "columns": columns,
            "scale_bits": float_bits(scale),
        }  # fmt: skip
        self.add(residual, RESIDUAL, figures, BARRIER)
