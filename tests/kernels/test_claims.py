"""Work that is claimed is done once, whoever does it, and turn after turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engine.kernels.cpu.claims import claim
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.matrices import step_at
from engine.kernels.cpu.pointers import numbers
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.tables import NO_BARRIER
from engine.kernels.cpu.threads import Program, Threads
from engine.weights import Grouped4

ITEMS = 1000


@operation
def mark(arguments: int, state: int, thread: int, _threads: int) -> None:
    """Count every item that this thread gets, and the thread's items."""
    turn = step_at(state).turn
    table = numbers(arguments, 1 + ITEMS + 8)
    item = claim(arguments, turn)
    while item < ITEMS:
        table[1 + item] += 1
        table[1 + ITEMS + thread] += 1
        item = claim(arguments, turn)


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads(4)
    yield made
    made.close()


def test_every_item_is_claimed_once_a_turn(threads: Threads) -> None:
    table = np.zeros(1 + ITEMS + 8, np.int64)
    program = Program([(mark, table.ctypes.data, NO_BARRIER)])
    state = StepState(4)
    for turn in range(1, 51):
        threads.run(program, state.table, 1 + turn % 4)
        assert (table[1 : 1 + ITEMS] == turn).all()
    assert table[1 + ITEMS :].sum() == 50 * ITEMS


def test_results_are_the_same_bits_with_any_number_of_threads() -> None:
    torch.manual_seed(5)
    scale = (torch.rand(208, 20) * 0.1).half()
    weight = Grouped4(torch.randint(0, 256, (208, 320), dtype=torch.uint8), scale, -scale, 32)
    x = torch.randn(700, 640)
    seen = []
    for count in (1, 2, 5):
        kernels = CpuKernels(count)
        seen.append(kernels.linear(x, kernels.pack(weight)))
        kernels.close()
    assert torch.equal(seen[0], seen[1])
    assert torch.equal(seen[0], seen[2])
