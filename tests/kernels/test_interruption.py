"""A program that is ended between two operations: on all threads, and the next run is whole."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.pointers import numbers, store_release
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.tables import BARRIER, NO_BARRIER
from engine.kernels.cpu.threads import Instruction, Program, Threads
from engine.kernels.interruption import Interruption, StepInterrupted
from engine.weights import Grouped4

MOST = 4


@operation
def count_up(arguments: int, _state: int, thread: int, _threads: int) -> None:
    """Count one more for this thread."""
    numbers(arguments, MOST)[thread] += 1


@operation
def ring(arguments: int, _state: int, thread: int, threads: int) -> None:
    """The last thread ends the program."""
    if thread == threads - 1:
        store_release(arguments, 1)


@pytest.mark.parametrize("barrier", [BARRIER, NO_BARRIER])
def test_nothing_is_begun_after_the_word_is_seen(barrier: int) -> None:
    threads, state, interruption = Threads(MOST), StepState(MOST), Interruption()
    before, after = np.zeros(MOST, np.int64), np.zeros(MOST, np.int64)
    rest: list[Instruction] = [(count_up, after.ctypes.data, barrier)] * 40
    rung = Program(
        [(count_up, before.ctypes.data, BARRIER), (ring, interruption.address, BARRIER), *rest]
    )
    quiet = Program([(count_up, before.ctypes.data, barrier), *rest])
    for turn in range(1, 41):
        count = 1 + turn % MOST
        before[:], after[:] = 0, 0
        threads.run(rung, state.table, count, interruption=interruption.address)
        assert interruption.is_set
        assert list(before) == [1] * count + [0] * (MOST - count)
        assert not after.any()
        interruption.clear()
        threads.run(quiet, state.table, count, interruption=interruption.address)
        assert list(after) == [40] * count + [0] * (MOST - count)
    threads.close()


def test_a_word_set_at_any_moment_holds_nobody_up() -> None:
    """Threads that run ahead see it at different operations, and all come to the end."""
    threads, state, interruption = Threads(MOST), StepState(MOST), Interruption()
    counts = np.zeros(MOST, np.int64)
    beat: list[Instruction] = [(count_up, counts.ctypes.data, BARRIER)]
    free: list[Instruction] = [(count_up, counts.ctypes.data, NO_BARRIER)] * 3
    program = Program([*(beat + free) * 5, (ring, interruption.address, NO_BARRIER), *beat * 20])
    for _ in range(300):
        interruption.clear()
        threads.run(program, state.table, interruption=interruption.address)
        assert interruption.is_set
    assert counts.min() >= 300 * 17  # what stands before the last barrier
    threads.close()


def test_single_operations_are_not_begun_while_it_is_set() -> None:
    kernels = CpuKernels(1)
    codes, scale = torch.randint(0, 256, (32, 32), dtype=torch.uint8), torch.rand(32, 2).half()
    packed, x = kernels.pack(Grouped4(codes, scale, -scale, 32)), torch.randn(3, 64)
    wanted = kernels.linear(x, packed)
    kernels.interruption.set()
    with pytest.raises(StepInterrupted):
        kernels.linear(x, packed)
    kernels.interruption.clear()
    assert torch.equal(kernels.linear(x, packed), wanted)
    kernels.close()
