"""The one loop that every thread runs: operations in order, with barriers where they say so."""

from __future__ import annotations

from numba import carray

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
    PRIVATE_ROWS,
    STEP,
)

LINE = 128
"""Bytes between the flags of two threads: no two in the same (or a paired) cache line."""


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


@operation
def run_program(arguments: int, state: int, thread: int, threads: int) -> None:
    """Run a program on this thread; the last barrier is the caller's to wait for."""
    job = carray(as_pointer(arguments), (1,), JOB)[0]
    step = carray(as_pointer(state), (1,), STEP)[0]
    program = numbers(job.program, job.instructions * 3)
    phase = job.phase
    for number in range(job.instructions):
        call4(program[3 * number], program[3 * number + 1], state, thread, threads)
        barrier = program[3 * number + 2]
        shared = barrier == BARRIER_IF_SHARED and step.rows > PRIVATE_ROWS
        if barrier == BARRIER_IF_WANTED_SHARED:
            shared = step.wanted_count > PRIVATE_ROWS
        if threads > 1 and (barrier == BARRIER or shared):
            phase += 1
            wait_for_all(job.flags, thread, threads, phase, job.spins, job.yield_function)
    if threads > 1:
        phase = job.phase + job.instructions + 1
        wait_for_all(job.flags, thread, threads, phase, job.spins, job.yield_function)
