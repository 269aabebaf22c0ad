"""Work off the window's thread: a job, and what becomes of its result on the window's thread.

The one threading primitive of the window. A known fault goes to ``failed``; a bug is raised where
the result would have arrived, on the window's thread, loudly.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from engine.contract import EngineError, Fault

T = TypeVar("T")


class Background(Protocol):
    """Where jobs run."""

    def run(
        self, job: Callable[[], T], then: Callable[[T], None], failed: Callable[[Fault], None]
    ) -> None:
        """Run ``job`` elsewhere; afterwards call one of the other two on the window's thread."""
        ...

    def close(self) -> None:
        """Start nothing more; a job that runs must end by itself, and its result is dropped."""
        ...


class ThreadBackground(QObject):
    """Two threads, started by the first job."""

    _ended = Signal(object, object, object)  # future, then, failed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool: ThreadPoolExecutor | None = None
        self._closed = Event()
        # queued: a job can be over before ``run`` returns, and its result must not come in the
        # middle of what the caller does
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)
        self.destroyed.connect(self._closed.set)  # with its window, and nobody closed it

    def run(
        self, job: Callable[[], T], then: Callable[[T], None], failed: Callable[[Fault], None]
    ) -> None:
        """Run a job on one of the threads; when both are busy it waits."""
        if self._closed.is_set():
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(2, thread_name_prefix="inkstone-background")
        self._pool.submit(job).add_done_callback(lambda future: self._tell(future, then, failed))

    def close(self) -> None:
        """Drop what waits and what is still to come."""
        self._closed.set()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _tell(
        self,
        future: Future[Any],
        then: Callable[[Any], None],
        failed: Callable[[Fault], None],
    ) -> None:
        """On the job's thread: hand the result over, unless there is nobody any more."""
        if not self._closed.is_set():
            self._ended.emit(future, then, failed)

    @Slot(object, object, object)
    def _on_ended(
        self,
        future: Future[Any],
        then: Callable[[Any], None],
        failed: Callable[[Fault], None],
    ) -> None:
        if self._closed.is_set():
            return
        try:
            result = future.result()
        except EngineError as error:
            failed(error.fault)
        else:
            then(result)


class InlineBackground:
    """Runs each job where it is asked for: the synchronous double."""

    def run(
        self, job: Callable[[], T], then: Callable[[T], None], failed: Callable[[Fault], None]
    ) -> None:
        """Run the job now."""
        try:
            result = job()
        except EngineError as error:
            failed(error.fault)
        else:
            then(result)

    def close(self) -> None:
        """Nothing to end."""
