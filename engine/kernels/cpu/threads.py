"""The one pool of threads that computes; torch's own stays at one thread in the decode loop.

A worker is a Python thread that sleeps on a semaphore between programs and runs the whole program
with the GIL released, meeting the others at barriers that spin shortly and then yield the
processor. The caller is thread 0. Nothing spins between programs.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.kernels.cpu.compiling import Operation
from engine.kernels.cpu.program import LINE, run_program
from engine.kernels.cpu.tables import JOB

SPINS = 400
"""Pauses (about 40 cycles each) before a waiting thread yields: some microseconds."""

Instruction = tuple[Operation, int, int]
"""An operation, the address of its arguments, the barrier after it."""

_ENTRY = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4)


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


@dataclass(slots=True)
class _Mailbox:
    """What the workers read; they hold no reference to the ``Threads`` that owns them."""

    run: Any
    ready: list[threading.Semaphore]
    next: tuple[int, int, int] | None = None


def _work(mailbox: _Mailbox, number: int) -> None:
    """A worker's life: sleep, run its share, sleep; an empty mailbox ends it."""
    while True:
        mailbox.ready[number].acquire()
        if mailbox.next is None:
            return
        job, step, threads = mailbox.next
        mailbox.run(job, step, number, threads)


def _end(mailbox: _Mailbox, workers: list[threading.Thread]) -> None:
    """Let the workers end, and wait for that."""
    mailbox.next = None
    for ready in mailbox.ready[1:]:
        ready.release()
    for worker in workers:
        worker.join()
    workers.clear()


class Threads:
    """``count`` threads that run programs together, the caller being one of them.

    The workers end when ``close`` is called or nobody holds this object any longer.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._flags = np.zeros((count + 1) * LINE // 8, np.int64)
        aligned = -(-self._flags.ctypes.data // LINE) * LINE
        self._job = np.zeros(1, JOB)
        self._job["flags"], self._job["spins"] = aligned, SPINS
        self._job["yield_function"] = yield_address()
        ready = [threading.Semaphore(0) for _ in range(count)]
        self._mailbox = _Mailbox(_ENTRY(run_program.address), ready)
        self._workers: list[threading.Thread] = []
        self._finish = weakref.finalize(self, _end, self._mailbox, self._workers)

    def run(self, program: Program, step: Any, threads: int | None = None) -> None:
        """Run a program to its end.

        Args:
            program: what to run.
            step: a ``STEP`` table.
            threads: how many threads; None: all.
        """
        threads = min(threads or self.count, self.count)
        job, mailbox = self._job, self._mailbox
        job["program"], job["instructions"] = program.table.ctypes.data, len(program.table)
        if threads > 1:
            self._start()
            mailbox.next = (job.ctypes.data, step.ctypes.data, threads)
            for number in range(1, threads):
                mailbox.ready[number].release()
        mailbox.run(job.ctypes.data, step.ctypes.data, 0, threads)
        if threads > 1:
            job["phase"] += len(program.table) + 1

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
