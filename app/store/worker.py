"""The one thread that writes to disk, and its synchronous double.

Why a thread: with ``synchronous=FULL`` a commit waits for the disk. Measured on this project's
build machine (ext4): 2.5 ms median, 12 ms at the 99th percentile, 52 ms at worst, where the window
must never stand still for 50 ms. With ``NORMAL`` it is 0.02 ms, but a power cut may take the last
commits away. So: FULL, and never on the window's thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Protocol

Job = Callable[[], None]


class Worker(Protocol):
    """Runs jobs one after the other, in the order in which they were posted."""

    def post(self, job: Job) -> None:
        """Take a job; never blocks. Jobs posted after ``close`` are dropped."""
        ...

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until everything posted so far has run; False when it did not in time."""
        ...

    def close(self, timeout_s: float = 5.0) -> bool:
        """Run what was posted, then end; False when it did not end in time."""
        ...


class ThreadWorker:
    """One daemon thread, started by the first job.

    A daemon, because a disk that hangs in an uninterruptible write must not keep the program from
    ending; ``close`` is what makes sure that everything was written.
    """

    def __init__(self, name: str = "inkstone-store") -> None:
        self._name = name
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._running = False
        self._closed = False

    def post(self, job: Job) -> None:
        """Take a job; never blocks."""
        with self._changed:
            if self._closed:
                return
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Wait until no job is left or running."""
        with self._changed:
            return self._changed.wait_for(self._is_quiet, timeout_s) and not self._jobs

    def close(self, timeout_s: float = 5.0) -> bool:
        """Take no more jobs, run the ones there are, and join the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is None:
            return True
        thread.join(timeout_s)
        return not thread.is_alive() and not self._jobs

    def _is_quiet(self) -> bool:
        return not (self._jobs or self._running) or self._thread is None

    def _run(self) -> None:
        """Run jobs until closed; a bug in one ends this thread loudly; the next post starts one."""
        try:
            while (job := self._next()) is not None:
                job()
                self._rest()
        finally:
            with self._changed:
                self._thread = None
            self._rest()

    def _rest(self) -> None:
        with self._changed:
            self._running = False
            self._changed.notify_all()

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closed)
            if not self._jobs:
                return None
            self._running = True
            return self._jobs.popleft()


class InlineWorker:
    """Runs each job where it is posted: for tests, and for chats that live in memory only.

    A job that is posted by a job runs after it, as it would on the thread.
    """

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._running = False

    def post(self, job: Job) -> None:
        """Run the job now, or after the one that is running."""
        self._jobs.append(job)
        if self._running:
            return
        self._running = True
        try:
            while self._jobs:
                self._jobs.popleft()()
        finally:
            self._running = False

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Nothing is ever left."""
        return True

    def close(self, timeout_s: float = 5.0) -> bool:
        """Nothing to end."""
        return True
