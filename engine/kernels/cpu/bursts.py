"""Several steps of one sequence in a row: each computes the token that the one before it drew.

Between two steps of a small model Python takes as long as a tenth of a step, because the weights
have pushed it out of the caches by then. So the program that computes a step gets one operation
more, which draws, and runs again by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import carray
from numpy.typing import NDArray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.matrices import step_at
from engine.kernels.cpu.pointers import as_pointer, call1, floats, numbers
from engine.kernels.cpu.step_tables import address_of, page_numbers
from engine.kernels.cpu.tables import BARRIER, BURST, DRAW, NO_BARRIER, PART, SPAN, fill
from engine.kernels.cpu.threads import Instruction, Program
from engine.kernels.cpu.token_candidates import BLOCK, block_maxima
from engine.kernels.cpu.token_draw import TokenDraw, doubles
from engine.kernels.drawing import Burst

MOST_STEPS = 12


@operation
def find_maxima(arguments: int, state: int, thread: int, threads: int) -> None:
    """Find the largest of this thread's part of the logits, which it has in its cache.

    Ends of the reply that would come too early are taken out before.
    """
    a, step = carray(as_pointer(arguments), (1,), BURST)[0], step_at(state)
    d = carray(as_pointer(a.draw_table), (1,), DRAW)[0]
    blocks = share((d.size + BLOCK - 1) // BLOCK, thread, threads)
    first, end = blocks[0] * BLOCK, min(blocks[1] * BLOCK, d.size)
    if numbers(a.progress, 3)[0] < a.early:
        ends, logits = numbers(a.ends, a.end_count), floats(step.logits, d.size)
        for i in range(ends.size):
            if first <= ends[i] < end:
                logits[ends[i]] = -np.inf
    largest = np.float32(-np.inf)
    if first < end:
        maxima = floats(d.maxima + blocks[0] * 4, blocks[1] - blocks[0])
        largest = block_maxima(step.logits + first * 4, end - first, maxima)
    floats(d.parts + thread * PART, 1)[0] = largest


@operation
def draw_next(arguments: int, state: int, thread: int, threads: int) -> None:
    """Draw a token from the step's logits, and make it the next one to compute; thread 0 alone."""
    if thread > 0:
        return
    a, step = carray(as_pointer(arguments), (1,), BURST)[0], step_at(state)
    progress, ends = numbers(a.progress, 3), numbers(a.ends, a.end_count)
    done = progress[0]
    doubles(a.shares, 2)[1] = doubles(a.uniforms, MOST_STEPS)[done]
    call1(a.draw, a.draw_table)
    token = numbers(a.token, 1)[0]
    numbers(a.drawn, MOST_STEPS)[done] = token
    progress[0] = done + 1
    stops = token < 0 or done + 1 == progress[1]
    for i in range(ends.size):
        stops = stops or ends[i] == token
    progress[2] = stops
    numbers(step.ids, 1)[0] = max(token, 0)
    numbers(step.positions, 1)[0] += 1
    spans = carray(as_pointer(step.spans), (a.groups,), SPAN)
    for group in range(a.groups):
        spans[group].start += 1


class BurstTables:
    """What the steps of a burst read and write.

    Args:
        vocabulary: logits of a step.
        threads: the most that will run it.

    Attributes:
        stop: address of the word that stops the program.
    """

    def __init__(self, vocabulary: int, threads: int) -> None:
        self._logits = np.zeros(vocabulary, np.float32)
        self._ids, self._positions, self._wanted = (np.zeros(1, np.int64) for _ in range(3))
        self._uniforms, self._drawn = np.zeros(MOST_STEPS), np.zeros(MOST_STEPS, np.int64)
        self._progress, self._parts = np.zeros(3, np.int64), np.zeros(threads * PART, np.uint8)
        self._table = fill(BURST, {
            "uniforms": _at(self._uniforms), "drawn": _at(self._drawn),
            "progress": _at(self._progress),
        })  # fmt: skip
        self._kept: Any = None
        self.stop = _at(self._progress) + 16

    def program(self, instructions: Sequence[Instruction]) -> Program:
        """A step's instructions, and the draw after them."""
        made, arguments, _ = instructions[-1]
        table = _at(self._table)
        draws = [(find_maxima, table, BARRIER), (draw_next, table, NO_BARRIER)]
        return Program([*instructions[:-1], (made, arguments, BARRIER), *draws])

    def begin(self, burst: Burst, draw: TokenDraw, threads: int) -> dict[str, int]:
        """Set what the first step reads; gives the figures of its ``STEP`` table."""
        steps = len(burst.uniforms)
        pages = [page_numbers(table) for table in burst.tables]
        spans = np.array([(0, 1, burst.start, address_of(held)) for held in pages], np.int64)
        ends = np.array([id for id in burst.ends if id < draw.size], np.int64)
        self._kept = pages, spans, ends, draw
        draw.read_from(_at(self._logits), _at(self._parts), threads)
        self._ids[0], self._positions[0] = burst.id, burst.start
        self._uniforms[:steps] = burst.uniforms
        self._progress[:] = (0, steps, 0)
        figures = draw.places | {
            "ends": _at(ends), "end_count": len(ends), "early": burst.early, "groups": len(pages),
        }  # fmt: skip
        for name, value in figures.items():
            self._table[name] = value
        return {
            "rows": 1, "span_count": 1, "spans": _at(spans), "ids": _at(self._ids),
            "positions": _at(self._positions), "wanted": _at(self._wanted), "wanted_count": 1,
            "logits": _at(self._logits), "logits_step": self._logits.nbytes,
        }  # fmt: skip

    def drawn(self) -> list[int]:
        """The tokens, -1 where logits were no numbers."""
        return [int(token) for token in self._drawn[: self._progress[0]]]


def _at(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
