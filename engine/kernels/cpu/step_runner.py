"""Runs a decoder's compiled step for a batch: sets the few numbers that change, and goes."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.cpu.cache import PagedCache
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.step_builder import LINE, StepBuilder
from engine.kernels.cpu.step_program import StepProgram, attention_scratch
from engine.kernels.cpu.tables import PRIVATE_ROWS, STEP
from engine.kernels.cpu.thread_choice import ThreadChoice
from engine.kernels.cpu.threads import Program, Threads
from engine.kernels.interface import CachePool
from engine.kernels.plan import DecoderPlan

FEWEST_ROWS = 16
"""Rows that buffers are made for at first; they double as steps grow."""


_PLACES = {name: place for place, name in enumerate(STEP.names)}


def _numbers(pages: Sequence[int]) -> array[int]:
    """Page numbers as int64; where they are that already, they are not copied."""
    return pages if isinstance(pages, array) and pages.typecode == "q" else array("q", pages)


def _address(numbers: array[int]) -> int:
    return numbers.buffer_info()[0]


def _int64(values: Tensor) -> Tensor:
    is_right = values.dtype is torch.int64 and values.is_contiguous()
    return values if is_right else values.to(torch.int64).contiguous()


class StepState:
    """The ``STEP`` table with what it points at."""

    def __init__(self, threads: int) -> None:
        self.table = np.zeros(1, STEP)
        self._figures = self.table.view(np.int64)  # single numbers are set faster by their place
        self._threads = threads
        self._scratch = np.zeros(0, np.uint8)
        self._kept: list[Any] = []

    def need_scratch(self, size: int) -> None:
        """Have ``size`` bytes for each thread."""
        size = -(-size // LINE) * LINE
        if self.table["scratch_step"][0] < size:
            self._scratch = np.zeros(size * self._threads + LINE, np.uint8)
            self.table["scratch"] = -(-self._scratch.ctypes.data // LINE) * LINE
            self.table["scratch_step"] = size

    def set_batch(self, batch: Batch, groups: int) -> None:
        """Point at a batch's rows and pages for each group; kept until the next batch."""
        pages = [_numbers(span.table(group)) for group in range(groups) for span in batch.spans]
        count = len(batch.spans)
        spans = np.array(
            [
                (span.first, span.tokens, span.start, _address(pages[group * count + row]))
                for group in range(groups)
                for row, span in enumerate(batch.spans)
            ],
            np.int64,
        )
        ids, positions, wanted = map(_int64, (batch.ids, batch.positions, batch.logit_rows))
        figures = {
            "rows": len(ids), "span_count": count, "spans": spans.ctypes.data,
            "ids": ids.data_ptr(), "positions": positions.data_ptr(), "wanted": wanted.data_ptr(),
            "wanted_count": len(wanted),
        }  # fmt: skip
        for name, value in figures.items():
            self._figures[_PLACES[name]] = value
        self._kept = [*pages, spans, ids, positions, wanted]

    def set_logits(self, logits: Tensor) -> None:
        """Where the logits go."""
        self.table["logits"], self.table["logits_step"] = logits.data_ptr(), logits.shape[1] * 4


class CompiledStep:
    """A ``StepRunner``: one program a step, whatever the batch is."""

    def __init__(
        self, plan: DecoderPlan, library: NativeLibrary, threads: Threads, *, precise: bool
    ) -> None:
        self._plan = plan
        self._library = library
        self._threads = threads
        self._precise = precise
        self._vocabulary = sum(weight.shape[0] for weight in plan.head.weights)
        self._state = StepState(threads.count)
        self._cache: PagedCache | None = None
        self._choice = ThreadChoice(threads.count)
        self._compile(FEWEST_ROWS)

    def _compile(self, rows: int) -> None:
        build = StepBuilder(self._library, self._threads.count, rows, precise=self._precise)
        self._step = StepProgram(self._plan, build)
        self._program = Program(build.instructions)
        self._rows = rows
        self._cache = None

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; float32 [len(batch.logit_rows), vocabulary]."""
        if not isinstance(cache, PagedCache):
            raise TypeError(f"not a cache of these kernels: {type(cache).__name__}")
        rows = len(batch.ids)
        if rows > self._rows:
            self._compile(1 << (rows - 1).bit_length())
        if cache is not self._cache:
            self._step.bind(cache)
            self._cache = cache
            self._state.need_scratch(max(self._step.build.scratch, attention_scratch(cache)))
        self._state.set_batch(batch, len(cache.windows))
        logits = torch.empty(len(batch.logit_rows), self._vocabulary)
        self._state.set_logits(logits)
        self._run(rows)
        return logits

    def _run(self, rows: int) -> None:
        """Run the program: single tokens on as many threads as are fastest now."""
        if rows != 1:
            threads = self._choice.count if rows <= PRIVATE_ROWS else None
            self._threads.run(self._program, self._state.table, threads)
            return
        begin = time.perf_counter()
        self._threads.run(self._program, self._state.table, self._choice.count)
        self._choice.took(time.perf_counter() - begin)
