"""Runs a decoder's compiled step for a batch: sets the few numbers that change, and goes."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.cpu.bursts import MOST_STEPS, BurstTables
from engine.kernels.cpu.cache import PagedCache
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.row_threads import RowThreads
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.step_program import StepProgram, attention_scratch
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.tables import PRIVATE_ROWS
from engine.kernels.cpu.thread_choice import ThreadChoice
from engine.kernels.cpu.threads import Program, Threads
from engine.kernels.cpu.token_draw import TokenDraws
from engine.kernels.drawing import Burst, DrawRule
from engine.kernels.interface import CachePool
from engine.kernels.interruption import Interruption, StepInterrupted
from engine.kernels.plan import DecoderPlan

FEWEST_ROWS = 16
"""Rows that buffers are made for at first; they double as steps grow."""

BURST_S = 0.06
"""A burst is as many steps as take this long: about as long as text waits on its way to a window,
and no wait that anyone feels who stops a reply."""


class CompiledStep:
    """A ``StepRunner``: one program a step, whatever the batch is."""

    def __init__(
        self,
        plan: DecoderPlan,
        library: NativeLibrary,
        threads: Threads,
        draws: TokenDraws,
        interruption: Interruption,
        *,
        precise: bool,
    ) -> None:
        self._plan = plan
        self._library = library
        self._threads = threads
        self._draws = draws
        self._interruption = interruption
        self._precise = precise
        self._vocabulary = sum(weight.shape[0] for weight in plan.head.weights)
        self._state = StepState(threads.count)
        self._cache: PagedCache | None = None
        self._choice = ThreadChoice(threads.count)
        self._row_threads = RowThreads(threads.count)
        self._tables = BurstTables(self._vocabulary, threads.count)
        self._compile(FEWEST_ROWS)

    def _compile(self, rows: int) -> None:
        build = StepBuilder(self._library, self._threads.count, rows, precise=self._precise)
        self._step = StepProgram(self._plan, build)
        self._program = Program(build.instructions)
        self._drawing_program = self._tables.program(build.instructions)
        self._rows = rows
        self._cache = None

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        """Run one step; float32 [len(batch.logit_rows), vocabulary]."""
        rows = len(batch.ids)
        groups = len(self._bind(cache, rows).windows)
        self._state.set_batch(batch, groups)
        logits = torch.empty(len(batch.logit_rows), self._vocabulary)
        self._state.set_logits(logits)
        self._run(rows)
        return logits

    def longest_burst(self, rule: DrawRule) -> int:
        """See ``DrawsBursts``; the number of threads is tried out by single steps."""
        usual = self._choice.usual_s
        if usual is None or self._choice.is_trying or self._draws.by(rule) is None:
            return 1
        return min(int(BURST_S / usual), MOST_STEPS)

    def burst(self, burst: Burst, cache: CachePool) -> list[int]:
        """See ``DrawsBursts``."""
        draw = self._draws.by(burst.rule)
        if draw is None:
            raise ValueError(f"no burst draws by {burst.rule}")
        self._bind(cache, 1)
        threads = self._choice.count
        self._state.set(self._tables.begin(burst, draw, threads))
        begin = time.perf_counter()
        self._threads.run(
            self._drawing_program, self._state.table, threads,
            repeats=len(burst.uniforms), stop=self._tables.stop,
        )  # fmt: skip
        drawn = self._tables.drawn()
        self._choice.took((time.perf_counter() - begin) / len(drawn), len(drawn))
        return drawn

    def _bind(self, cache: CachePool, rows: int) -> PagedCache:
        """Have buffers for so many rows, and the tables pointing at a cache."""
        if not isinstance(cache, PagedCache):
            raise TypeError(f"not a cache of these kernels: {type(cache).__name__}")
        if rows > self._rows:
            self._compile(1 << (rows - 1).bit_length())
        if cache is not self._cache:
            self._step.bind(cache)
            self._cache = cache
            self._state.need_scratch(max(self._step.build.scratch, attention_scratch(cache)))
        return cache

    def _run(self, rows: int) -> None:
        """Run the program, on as many threads as are fastest now."""
        if rows > PRIVATE_ROWS:
            self._run_many(rows)
            return
        begin = time.perf_counter()
        self._threads.run(self._program, self._state.table, self._choice.count)
        if rows == 1:
            self._choice.took(time.perf_counter() - begin)

    def _run_many(self, rows: int) -> None:
        """Run it for a part of a prompt, whose threads are judged by the processor's time too.

        Raises:
            StepInterrupted: somebody does not want it any more.
        """
        threads = self._row_threads.begin()
        begin, spent = time.perf_counter(), time.process_time()
        self._threads.run(
            self._program, self._state.table, threads, interruption=self._interruption.address
        )
        if self._interruption.is_set:
            raise StepInterrupted
        seconds = time.perf_counter() - begin
        self._row_threads.took(rows, seconds, time.process_time() - spent)
