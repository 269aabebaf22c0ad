"""The one pool of threads that computes; torch's own stays at one thread in the decode loop.

A worker is a Python thread that runs one program after the other in compiled code, with the GIL
released, meeting the others at barriers that spin shortly and then yield the processor. Between
programs it waits in the same way, and goes to sleep on a semaphore when none comes for some
milliseconds: waking it takes 0.1 ms, as much as three of the 30 layers of a small model. The caller
is thread 0.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.kernels.cpu.claims import LINE
from engine.kernels.cpu.compiling import Operation
from engine.kernels.cpu.program import await_programs, begin_turn, run_program
from engine.kernels.cpu.tables import JOB, LAST_TURN, TURN

SPINS = 400
"""Pauses (about 40 cycles each) before a waiting thread yields: some microseconds."""

IDLE_YIELDS = 500
"""Yields of a worker before it sleeps: some milliseconds, longer than between two tokens."""

Instruction = tuple[Operation, int, int]
"""An operation, the address of its arguments, the barrier after it."""

_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4)
_SHORT_ENTRY = ctypes.PYFUNCTYPE(None, *[ctypes.c_int64] * 2)
"""Of what is over before letting other Python threads run would pay."""


def yield_address() -> int:
    """The address of the system's "let another thread run"."""
    if sys.platform == "win32":
        function: Any = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


class Program:
    """Instructions as a table, made once and run many times."""

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self.table = np.array(
            [[made.address, arguments, barrier] for made, arguments, barrier in instructions],
            np.int64,
        ).reshape(-1, 3)
        self.address, self.length = int(self.table.ctypes.data), len(self.table)


class _Mailbox:
    """What the workers read; they hold no reference to the ``Threads`` that owns them.

    Attributes:
        job: a ``JOB``, changed only while no worker takes part in it.
        queues: address of what the threads' shares are claimed by, see ``claims.py``.
        asleep: of each worker, whether it must be woken.
        ready: what it sleeps on.
    """

    def __init__(self, count: int) -> None:
        self.await_programs = _ENTRY(await_programs.address)
        self.begin_turn = _SHORT_ENTRY(begin_turn.address)
        self.asleep = [False] * count
        self.ready = [threading.Semaphore(0) for _ in range(count)]
        self._memory = np.zeros((3 * count + 2) * LINE // 8, np.int64)
        first = -(-self._memory.ctypes.data // LINE) * LINE
        self.job = np.zeros(1, JOB)
        self.job["flags"], self.job["turn"] = first, first + count * LINE
        self.queues = first + 2 * count * LINE
        self.job["spins"], self.job["idle_yields"] = SPINS, IDLE_YIELDS
        self.job["yield_function"] = yield_address()
        self.address = int(self.job.ctypes.data)
        places = (first - self._memory.ctypes.data) // 8 + np.arange(count, 2 * count) * LINE // 8
        self._turn, *self._seen = (self._memory[place : place + 1] for place in places)
        self._turn_at = int(self._turn.ctypes.data)

    @property
    def turn(self) -> int:
        """The word that starts workers."""
        return int(self._turn[0])

    def start(self, turn: int, threads: int) -> None:
        """Let workers below ``threads`` see a new turn; the job must be whole."""
        self.begin_turn(self._turn_at, turn)
        for number in range(1, threads):
            if self.asleep[number]:
                self.asleep[number] = False
                self.ready[number].release()

    def follow(self, number: int, seen: int) -> int:
        """Run a worker's share of programs until there is none for a while: the last turn seen."""
        result = self._seen[number - 1]
        self.await_programs(self.address, seen, number, result.ctypes.data)
        return int(result[0])


def _work(mailbox: _Mailbox, number: int) -> None:
    """A worker's life: follow programs, sleep when there is none, until the last turn."""
    seen = 0
    while seen != LAST_TURN:
        seen = mailbox.follow(number, seen)
        # said before looking once more: who starts a program looks after writing the turn
        mailbox.asleep[number] = True
        if mailbox.turn == seen != LAST_TURN:
            mailbox.ready[number].acquire()
        mailbox.asleep[number] = False


def _end(mailbox: _Mailbox, workers: list[threading.Thread]) -> None:
    """Let the workers end, and wait for that."""
    mailbox.start(LAST_TURN, len(mailbox.ready))
    for worker in workers:
        worker.join()
    workers.clear()


class Threads:
    """``count`` threads that run programs together, the caller being one of them.

    The workers end when ``close`` is called or nobody holds this object any longer.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._run = _ENTRY(run_program.address)
        self._mailbox = _Mailbox(count)
        self._workers: list[threading.Thread] = []
        self._finish = weakref.finalize(self, _end, self._mailbox, self._workers)

    def run(
        self,
        program: Program,
        step: Any,
        threads: int | None = None,
        *,
        repeats: int = 1,
        stop: int = 0,
        interruption: int = 0,
    ) -> None:
        """Run a program to its end.

        Args:
            program: what to run.
            step: a ``STEP`` table; its turn is this run's, also of its repeats, which therefore
                must be of few rows: those claim no work by turns.
            threads: how many threads; None: all.
            repeats: times that it runs.
            stop: address of an int64 by which thread 0 ends the repeats before; 0 is none.
            interruption: address of an int64 by which anybody ends it between two operations, not
                to be set back before the end; 0 is none.
        """
        threads = min(threads or self.count, self.count)
        mailbox, job = self._mailbox, self._mailbox.job
        state = step.ctypes.data
        step["turn"] += 1
        step["queues"] = mailbox.queues
        job["program"], job["instructions"] = program.address, program.length
        job["state"], job["repeats"], job["stop"] = state, repeats, stop
        job["interruption"] = interruption
        if threads > 1:
            self._start()
            mailbox.start((mailbox.turn // TURN + 1) * TURN + threads, threads)
        self._run(mailbox.address, state, 0, threads)
        job["phase"] += repeats * (program.length + 2)

    def close(self) -> None:
        """End the workers; nothing can be run afterwards."""
        self._finish()

    def _start(self) -> None:
        while len(self._workers) < self.count - 1:
            number = len(self._workers) + 1
            worker = threading.Thread(
                target=_work, args=(self._mailbox, number), name=f"kernels-{number}", daemon=True
            )
            self._workers.append(worker)
            worker.start()
