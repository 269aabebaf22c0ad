"""The only meeting of engine and Qt: one QObject that lives as long as the program, one signal.

The engine calls back on its own thread. What it says waits in a queue, one wake of the window's
thread takes all that waits there, and the signal is emitted on that thread: with a queued signal
for each of ten receivers the window was woken ten times for one event.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from engine.contract import Command, Event
from engine.service.program import environment, program


class Service(Protocol):
    """What the bridge needs of ``engine.service.EngineService``."""

    def submit(self, command: Command) -> None:
        """Start a command; never blocks."""
        ...

    def cancel(self, request: int) -> None:
        """End a request soon; never blocks."""
        ...

    def close(self, timeout_s: float = 5.0) -> bool:
        """End everything; False when the engine did not end in time."""
        ...


class EngineBridge(QObject):
    """Commands down, events up.

    Args:
        make_service: builds the service around a sink for its events.
    """

    received = Signal(object)  # an engine.contract.Event
    submitted = Signal(object)  # an engine.contract.Command, also of another asker, on its thread
    _arrived = Signal()  # something waits; emitted on the engine's thread

    def __init__(
        self,
        make_service: Callable[[Callable[[Event], None]], Service],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._last_request = 0
        self._closed = False
        self._share: Callable[[Event], None] | None = None
        self.shared_at = -math.inf
        """When the other asker last asked or was told something, by ``time.monotonic``."""
        self._home = threading.get_ident()
        self._waiting: deque[Event] = deque()
        self._is_woken = False  # the window's thread is on its way to what waits
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._service = make_service(self._deliver)

    def next_request(self) -> int:
        """Return a request number that was never used before."""
        self._last_request += 1
        return self._last_request

    def submit(self, command: Command) -> None:
        """Send a command down; its events arrive through ``received``."""
        if not self._closed:
            if command.request < 0:
                self.shared_at = time.monotonic()
            self.submitted.emit(command)
            self._service.submit(command)

    def cancel(self, request: int) -> None:
        """Ask for the end of a request; it still ends in one terminal event."""
        if not self._closed:
            self._service.cancel(request)

    def share(self, hear: Callable[[Event], None] | None) -> None:
        """Let one other asker use the engine; it numbers its requests downwards from -1.

        Args:
            hear: receives the events of those requests, on the engine's thread; None ends it.
        """
        self._share = hear

    def close(self, timeout_s: float = 5.0) -> bool:
        """End the engine in bounded time; events that come later are dropped."""
        if self._closed:
            return True
        self._closed = True
        return self._service.close(timeout_s)

    def _deliver(self, event: Event) -> None:
        """Take an event on the engine's thread."""
        if event.request < 0:
            self.shared_at = time.monotonic()
            if (hear := self._share) is not None:
                hear(event)
        elif self._closed:
            pass
        elif threading.get_ident() == self._home:  # an engine without a thread
            self.received.emit(event)
        else:
            self._waiting.append(event)  # before the look at whether somebody comes for it
            if not self._is_woken:
                self._is_woken = True
                self._arrived.emit()

    @Slot()
    def _on_arrived(self) -> None:
        """Hand out what waits now; what comes meanwhile wakes again, so that Qt has its turn."""
        self._is_woken = False
        for _ in range(len(self._waiting)):
            if self._waiting:  # a receiver with an event loop of its own may have taken the rest
                self.received.emit(self._waiting.popleft())


def job_program(*arguments: str) -> list[str]:
    """Return the command line of a long job: the engine's own, in a process of its own."""
    return program("engine", *arguments)


def job_environment() -> dict[str, str]:
    """Return the environment in which a long job runs."""
    return environment()
