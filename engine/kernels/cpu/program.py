"""The one loop that every thread runs: operations in order, with barriers where they say so.

A program may run several times in a row, until one of its operations says that it is enough.
"""

from __future__ import annotations

from typing import Any

from numba import carray

from engine.kernels.cpu.claims import LINE, begin_shares
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.pointers import (
    as_pointer,
    call0,
    call4,
    inner,
    load_acquire,
    numbers,
    pause,
    store_release,
)
from engine.kernels.cpu.tables import (
    BARRIER,
    BARRIER_IF_SHARED,
    BARRIER_IF_WANTED_SHARED,
    JOB,
    LAST_TURN,
    PRIVATE_ROWS,
    STEP,
    TURN,
)


@inner
def wait_for_all(
    flags: int, thread: int, threads: int, phase: int, spins: int, yield_function: int
) -> None:
    """Say that this thread reached ``phase``, and wait until all have: spin, then yield."""
    store_release(flags + thread * LINE, phase)
    for other in range(threads):
        count = 0
        while load_acquire(flags + other * LINE) < phase:
            count += 1
            if count < spins:
                pause()
            else:
                call0(yield_function)


@inner
def run_once(job: Any, first_phase: int, state: int, thread: int, threads: int) -> None:
    """Run a program on this thread, and wait at its end for the others."""
    step = carray(as_pointer(state), (1,), STEP)[0]
    program, interruption = numbers(job.program, job.instructions * 3), job.interruption
    phase = first_phase
    for number in range(job.instructions):
        if interruption and load_acquire(interruption):
            break  # the phase of the end lets all barriers go, and others then see the word, too
        begin_shares(step.queues, thread, first_phase + number)
        call4(program[3 * number], program[3 * number + 1], state, thread, threads)
        barrier = program[3 * number + 2]
        shared = barrier == BARRIER_IF_SHARED and step.rows > PRIVATE_ROWS
        if barrier == BARRIER_IF_WANTED_SHARED:
            shared = step.wanted_count > PRIVATE_ROWS
        if threads > 1 and (barrier == BARRIER or shared):
            phase += 1
            wait_for_all(job.flags, thread, threads, phase, job.spins, job.yield_function)
    if threads > 1:
        phase = first_phase + job.instructions + 1
        wait_for_all(job.flags, thread, threads, phase, job.spins, job.yield_function)


@inner
def run_instructions(arguments: int, state: int, thread: int, threads: int) -> None:
    """Run a program on this thread, as often as it is wanted."""
    job = carray(as_pointer(arguments), (1,), JOB)[0]
    phase, stop, repeats = job.phase, job.stop, job.repeats
    for _ in range(repeats):
        run_once(job, phase, state, thread, threads)
        phase += job.instructions + 2
        if stop and load_acquire(stop):
            # whoever goes on may write the word again: first all must have read it
            if threads > 1:
                wait_for_all(job.flags, thread, threads, phase, job.spins, job.yield_function)
            return


@operation
def run_program(arguments: int, state: int, thread: int, threads: int) -> None:
    """Run a ``JOB`` on this thread, beside the workers that take part."""
    run_instructions(arguments, state, thread, threads)


@operation
def begin_turn(turn_at: int, turn: int) -> None:
    """Let workers see that a job is there, after all that was written to it."""
    store_release(turn_at, turn)


@operation
def await_programs(arguments: int, seen: int, worker: int, result: int) -> None:
    """A worker's share of one program after the other, until there is none for a while.

    A new program is noticed in less than a microsecond; a thread that sleeps takes a hundred.

    Args:
        arguments: a ``JOB``; while it has no turn for this worker, it may change at any time.
        seen: the last turn that the worker has seen.
        worker: its number, 1 or more.
        result: address of an int64 for the last turn that it has seen now.
    """
    job = carray(as_pointer(arguments), (1,), JOB)[0]
    turn_at, spins, yield_function = job.turn, job.spins, job.yield_function
    idle = 0
    while idle < job.idle_yields and seen != LAST_TURN:
        count = 0
        while load_acquire(turn_at) == seen and count < spins:
            pause()
            count += 1
        turn = load_acquire(turn_at)
        if turn == seen:
            call0(yield_function)
            idle += 1
            continue
        seen = turn
        threads = turn % TURN
        if turn != LAST_TURN and worker < threads:
            run_instructions(arguments, job.state, worker, threads)
            idle = 0
    store_release(result, seen)
