"""Whose turn it is, and the contract's laws: knows no thread and no process.

Order of requests: a load or an unload waits for nothing. It ends everything that runs or waits as
cancelled, starts when that is over, and what is submitted after it waits for it. Everything else
runs side by side, one step at a time.
"""

from __future__ import annotations

import logging
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.contract import (
    Command,
    CommandRunner,
    EngineError,
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Load,
    Unload,
)

_log = logging.getLogger(__name__)

Sink = Callable[[Event], None]


@dataclass(slots=True, eq=False)
class Request:
    """A command on its way. ``cancelled`` is the one field that another thread may set."""

    command: Command
    cancelled: bool = False
    events: Iterator[Event | None] | None = None

    @property
    def number(self) -> int:
        """The command's request number."""
        return self.command.request

    @property
    def is_exclusive(self) -> bool:
        """Whether it replaces the model, so that nothing may run beside it."""
        return isinstance(self.command, Load | Unload)

    def is_cancelled(self) -> bool:
        """What the runner polls between two steps."""
        return self.cancelled


class RequestLoop:
    """Advances the running requests in turn; every request ends in exactly one terminal event.

    Args:
        sink: receives every event, on the thread that calls ``advance``.
        make_runner: makes the engine at the first command; a fault of it fails that request only,
            and the next one tries again.
    """

    def __init__(self, sink: Sink, make_runner: Callable[[], CommandRunner]) -> None:
        self._sink = sink
        self._make_runner = make_runner
        self._runner: CommandRunner | None = None
        self._waiting: deque[Request] = deque()
        self._running: list[Request] = []

    def take(self, request: Request) -> None:
        """Queue a request; a load or an unload cancels everything before it."""
        if request.is_exclusive:
            self.cancel_all()
        self._waiting.append(request)

    def cancel_all(self) -> None:
        """Mark every request that runs or waits as cancelled."""
        for request in (*self._running, *self._waiting):
            request.cancelled = True

    def advance(self) -> bool:
        """Give every running request one turn; False when nothing is left to do."""
        self._admit()
        for request in tuple(self._running):
            event = self._next_event(request)
            if isinstance(event, Finished | Failed):
                self._running.remove(request)
            if event is not None:
                self._sink(event)
        return bool(self._running or self._waiting)

    def close(self) -> None:
        """End everything as cancelled and free the engine."""
        self.cancel_all()
        while self.advance():
            pass
        if self._runner is not None:
            self._runner.close()
            self._runner = None

    def _admit(self) -> None:
        """Start what may start; what was cancelled before it started ends here."""
        for request in tuple(self._waiting):
            if request.cancelled:
                self._waiting.remove(request)
                self._sink(Finished(request.number, FinishReason.CANCELLED))
        while self._waiting and self._may_start(self._waiting[0]):
            self._running.append(self._waiting.popleft())

    def _may_start(self, request: Request) -> bool:
        if request.is_exclusive:
            return not self._running
        return not any(other.is_exclusive for other in self._running)

    def _next_event(self, request: Request) -> Event | None:
        """One step of one request; whatever is raised below becomes its terminal event."""
        try:
            if request.events is None:
                if self._runner is None:
                    self._runner = self._make_runner()
                request.events = self._runner.run(request.command, request.is_cancelled)
            return next(request.events)
        except EngineError as error:
            return Failed(request.number, error.fault)
        except Exception as error:  # noqa: BLE001 (the one broad except: a bug ends one request)
            _log.error("request %d broke", request.number, exc_info=error)
            return Failed(request.number, _internal_fault(error))


def _internal_fault(error: Exception) -> Fault:
    """A bug as a fault: the exception's type and text, and where it was raised."""
    if isinstance(error, StopIteration):
        return Fault(FaultKind.INTERNAL, {"detail": "the runner ended without a terminal event"})
    detail = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        detail += f" ({frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name})"
    return Fault(FaultKind.INTERNAL, {"detail": detail})
