"""Threads of a prompt follow what other programs take, on machines that are made up here."""

from __future__ import annotations

import pytest

from engine.kernels.cpu.row_threads import AGAIN_S, STEPS, WORKED_S, RowThreads

ROWS = 64


class Machine:
    """Cores of which others want some; a thread that shares a core holds the others up."""

    def __init__(self, cores: int, wanted: float = 0.0) -> None:
        self.cores, self.wanted, self.now = cores, wanted, 100.0
        self.held_up = 2.5
        self.threads = RowThreads(cores, lambda: self.now)

    def steps(self, count: int, work_s: float = 0.08) -> list[int]:
        """The threads of each of so many steps."""
        counts = []
        for _ in range(count):
            threads = self.threads.begin()
            shared = max(threads + self.wanted - self.cores, 0.0)
            seconds = work_s / threads * (self.held_up if shared else 1.0)
            self.now += seconds
            self.threads.took(ROWS, seconds, seconds * (threads - shared / 2))
            counts.append(threads)
        return counts


def test_on_a_quiet_machine_every_step_has_all_threads() -> None:
    assert set(Machine(4).steps(200)) == {4}


@pytest.mark.parametrize(("cores", "left"), [(2, 1), (4, 3), (16, 15)])
def test_beside_a_busy_program_the_rest_of_a_prompt_leaves_it_its_core(
    cores: int, left: int
) -> None:
    machine = Machine(cores, wanted=1.0)
    counts = machine.steps(12, work_s=0.02 * cores)
    assert counts == [cores] * STEPS + [left] * (12 - STEPS)


def test_a_long_prompt_beside_a_busy_program_tries_all_threads_rarely() -> None:
    machine = Machine(2, wanted=1.0)
    counts = machine.steps(200)  # 16 s of work
    assert counts.count(2) - STEPS <= 16 / WORKED_S


def test_when_the_other_program_ended_all_threads_are_back_after_a_while() -> None:
    machine = Machine(2, wanted=1.0)
    machine.steps(10)
    machine.wanted = 0.0
    assert machine.steps(2) == [1, 1]
    machine.now += AGAIN_S + 0.1
    assert set(machine.steps(20)) == {2}


def test_where_fewer_threads_are_slower_all_go_on_and_are_left_alone_for_a_while() -> None:
    machine = Machine(2, wanted=1.0)
    machine.held_up = 1.2
    counts = machine.steps(200)  # 10 s of work
    assert counts[:10] == [2] * STEPS + [1] * STEPS + [2] * (10 - 2 * STEPS)
    assert STEPS < counts.count(1) <= STEPS * 10 / WORKED_S


def test_one_step_that_stood_still_is_no_reason() -> None:
    machine = Machine(2)
    machine.steps(4)
    machine.threads.took(ROWS, 0.4, 0.1)
    assert set(machine.steps(20)) == {2}


def test_a_window_that_shows_a_reply_takes_no_thread() -> None:
    assert set(Machine(2, wanted=0.2).steps(50)) == {2}


def test_short_steps_and_single_threads_are_not_judged() -> None:
    assert set(Machine(2, wanted=1.0).steps(50, work_s=0.005)) == {2}
    assert set(Machine(1, wanted=1.0).steps(50)) == {1}
