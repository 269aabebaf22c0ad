"""The real engine in a process of its own; see ``__main__`` for its other end.

Two threads, both idle but for a message: one writes commands (and starts the process when there is
none), one reads events. If the process dies, killed by the system for its memory or by a crash in
native code, every request that it had fails by name, and the next command starts a new one.
"""

from __future__ import annotations

import pickle
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from typing import IO

from engine.contract import Command, Event, Failed, Fault, FaultKind, Finished
from engine.service.program import environment, program


@dataclass(frozen=True, slots=True)
class Cancel:
    """Ask a request to end; the one message to the process besides commands."""

    request: int


@dataclass(slots=True, eq=False)
class _Child:
    """A running process, and the requests that it has not ended."""

    process: subprocess.Popen[bytes]
    commands: IO[bytes]
    events: IO[bytes]
    outstanding: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Died:
    """A process's events have ended."""

    child: _Child


class ProcessHost:
    """The engine's process as seen from the window's.

    Args:
        deliver: receives every event, on one of the host's threads.
    """

    def __init__(self, deliver: Callable[[Event], None]) -> None:
        self._deliver = deliver
        self._outbox: SimpleQueue[Command | Cancel | _Died | None] = SimpleQueue()
        self._writer: Thread | None = None
        self._child: _Child | None = None  # the writer's own, but for close

    def submit(self, command: Command) -> None:
        """Queue a command."""
        if self._writer is None:
            self._writer = Thread(target=self._write, name="inkstone-engine-out", daemon=True)
            self._writer.start()
        self._outbox.put(command)

    def cancel(self, request: int) -> None:
        """Queue the wish to end a request."""
        self._outbox.put(Cancel(request))

    def close(self, timeout_s: float) -> bool:
        """End the process; False if it had to be killed."""
        if self._writer is None:
            return True
        self._outbox.put(None)
        self._writer.join(timeout_s)
        if not self._writer.is_alive():
            return True
        if (child := self._child) is not None:
            child.process.kill()
        self._writer.join(timeout_s)
        return False

    def _write(self) -> None:
        while (message := self._outbox.get()) is not None:
            if isinstance(message, _Died):
                self._bury(message.child)
            elif isinstance(message, Cancel):
                if self._child is not None:
                    self._send(self._child, message)
            elif (child := self._running_child(message)) is not None:
                child.outstanding.add(message.request)
                self._send(child, message)
        if self._child is not None:
            _close(self._child.commands)  # the process ends with its input
            while not isinstance(message, _Died):
                message = self._outbox.get()
            self._bury(self._child, is_wanted=True)

    def _running_child(self, command: Command) -> _Child | None:
        """The process, started if need be; a command that finds none fails."""
        try:
            self._child = self._child or self._start()
        except OSError as error:
            detail = f"the engine's process did not start: {error}"
            self._deliver(_broken(command.request, detail))
        return self._child

    def _send(self, child: _Child, message: Command | Cancel) -> None:
        with suppress(OSError):  # it died: its reader says so next, and names what it had
            pickle.dump(message, child.commands)
            child.commands.flush()

    def _start(self) -> _Child:
        process = subprocess.Popen(
            program("engine.service"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the engine's process has no pipes")
        child = _Child(process, process.stdin, process.stdout)
        reader = Thread(target=self._read, args=(child,), name="inkstone-engine-in", daemon=True)
        reader.start()
        return child

    def _read(self, child: _Child) -> None:
        while (message := _next_message(child.events)) is not None:
            for event in message:
                if isinstance(event, Finished | Failed):
                    child.outstanding.discard(event.request)
                self._deliver(event)
        self._outbox.put(_Died(child))

    def _bury(self, child: _Child, *, is_wanted: bool = False) -> None:
        """Reap a process whose events have ended; what it left open fails.

        Where nobody wanted its end that is told as a failure of request 0, too, which nobody made:
        what was loaded is gone, and perhaps nothing was asked.
        """
        _close(child.commands)
        child.events.close()
        status = child.process.wait()
        self._child = None
        fault = Fault(FaultKind.ENGINE_ENDED, {"status": status})
        for request in sorted(child.outstanding):
            self._deliver(Failed(request, fault))
        if not is_wanted:
            self._deliver(Failed(0, fault))


def _broken(request: int, detail: str) -> Failed:
    return Failed(request, Fault(FaultKind.INTERNAL, {"detail": detail}))


def _next_message(events: IO[bytes]) -> tuple[Event, ...] | None:
    """The next events; None when there are no more, even if the last ones were cut off."""
    try:
        message: tuple[Event, ...] = pickle.load(events)
    except (EOFError, pickle.UnpicklingError, OSError):
        return None
    return message


def _close(commands: IO[bytes]) -> None:
    """Close the pipe to a process that may be gone already."""
    with suppress(OSError):
        commands.close()
