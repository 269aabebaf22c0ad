"""Work that is claimed is done once, whoever does it, and turn after turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engine.kernels.cpu.claims import claim, next_part, part_of
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.matrices import step_at
from engine.kernels.cpu.pointers import load_acquire, numbers, pause, store_release
from engine.kernels.cpu.step_tables import StepState
from engine.kernels.cpu.tables import BARRIER, NO_BARRIER
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


@operation
def mark_parts(arguments: int, state: int, thread: int, threads: int) -> None:
    """Count every item of the parts that this thread gets, and the parts and items of each."""
    table = numbers(arguments, 2 + ITEMS + 16)
    items, least = table[0], table[1]
    while True:
        first, end = next_part(step_at(state).queues, thread, threads, items, least)
        if first == end:
            return
        for item in range(first, end):
            table[2 + item] += 1
        table[2 + ITEMS + thread] += 1
        table[2 + ITEMS + 8 + thread] += end - first


@pytest.mark.parametrize("items", [0, 1, 3, 7, 64, 999, ITEMS])
@pytest.mark.parametrize("least", [1, 5, 2000])
def test_every_part_is_taken_once(threads: Threads, items: int, least: int) -> None:
    """Without a barrier between two operations as with one, in every repeat of every run."""
    tables = [np.zeros(2 + ITEMS + 16, np.int64) for _ in range(3)]
    for table in tables:
        table[:2] = items, least
    barriers = (NO_BARRIER, BARRIER, NO_BARRIER)
    program = Program(
        [(mark_parts, at.ctypes.data, wait) for at, wait in zip(tables, barriers, strict=True)]
    )
    state = StepState(4)
    for turn in range(1, 31):
        threads.run(program, state.table, 1 + turn % 4, repeats=3)
        for table in tables:
            assert (table[2 : 2 + items] == 3 * turn).all()
            assert not table[2 + items : 2 + ITEMS].any()


def test_a_share_is_taken_in_ever_smaller_parts_of_one_stream(threads: Threads) -> None:
    table = np.zeros(2 + ITEMS + 16, np.int64)
    table[:2] = ITEMS, 10
    threads.run(Program([(mark_parts, table.ctypes.data, NO_BARRIER)]), StepState(4).table, 1)
    assert table[2 + ITEMS] == 7  # 500, 250, 125, 63, 31, 16, 15
    for count in range(8):
        begin, end = part_of(ITEMS, count, 10)
        assert begin == (part_of(ITEMS, count - 1, 10)[1] if count else 0)
        assert (begin == end) == (count == 7)


@operation
def dawdle(arguments: int, state: int, thread: int, threads: int) -> None:
    """Take parts; the last thread waits after its first one until the others have done more."""
    table = numbers(arguments, 16)
    while True:
        first, end = next_part(step_at(state).queues, thread, threads, 64, 1)
        if first == end:
            return
        store_release(arguments + 8 * thread, table[thread] + end - first)
        if thread == threads - 1:
            for _ in range(20_000_000):
                if load_acquire(arguments) > 32:
                    break
                pause()


def test_who_is_done_takes_from_who_is_slow(threads: Threads) -> None:
    table = np.zeros(16, np.int64)
    threads.run(Program([(dawdle, table.ctypes.data, NO_BARRIER)]), StepState(4).table, 2)
    assert table.sum() == 64
    assert table[1] < 32  # its own share was taken in part by the other


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
