"""An engine beside the window: submit, cancel, close; events come back through one sink.

The engine lives in a process of its own. It began as a thread of the window's process, and the
interpreter's lock forbade it: whoever holds the lock stops the window, and the tokenizers library
holds it while it builds a vocabulary: 95 ms for the starter model's 49,000 tokens, 750 ms for
Gemma's 262,000 (processor time; twice to five times as long on a busy machine). ``import torch``
holds it for 270-805 ms (26-39 ms with its libraries loaded first by a foreign call of ``dlopen``),
a full garbage collection over what it brings for 160-270 ms. With the engine in a process of its
own, the longest gap between two beats of the window's thread is what the system's scheduler makes
of the load, and a crash or the system's out-of-memory killer ends a reply instead of the window.

Importing this package loads no torch: the process is started by the first command.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.contract import Command, CommandRunner, Event, Failed, Finished
from engine.engine import Engine
from engine.safety.guard import Guarded
from engine.service.process_host import ProcessHost
from engine.service.request_loop import Request, RequestLoop
from engine.service.thread_host import ThreadHost

__all__ = ["EngineService", "Request", "RequestLoop", "ThreadHost", "real_engine"]


def real_engine() -> CommandRunner:
    """The engine itself behind its guard, for whoever drives it on a thread of their own."""
    return Guarded(Engine())


class EngineService:
    """The engine as the window sees it. No method blocks, except ``close`` for its timeout.

    Args:
        sink: receives every event, on a thread that is not the caller's.
        make_runner: makes another engine (a double, a remote one), which then runs on a thread of
            this process; None is the real one, in a process of its own.
    """

    def __init__(
        self,
        sink: Callable[[Event], None],
        make_runner: Callable[[], CommandRunner] | None = None,
    ) -> None:
        self._sink: Callable[[Event], None] | None = sink
        self._running: set[int] = set()
        self._is_closed = False
        self._host: ProcessHost | ThreadHost = (
            ProcessHost(self._deliver)
            if make_runner is None
            else ThreadHost(self._deliver, lambda: Guarded(make_runner()))
        )

    def submit(self, command: Command) -> None:
        """Send a command to the engine.

        Raises:
            ValueError: a request of this number has not ended yet.
            RuntimeError: the service is closed.
        """
        if self._is_closed:
            raise RuntimeError("the engine service is closed")
        if command.request in self._running:
            raise ValueError(f"request {command.request} is still running")
        self._running.add(command.request)
        self._host.submit(command)

    def cancel(self, request: int) -> None:
        """Ask a request to end; one that has ended already is left alone."""
        if request in self._running:
            self._host.cancel(request)

    def close(self, timeout_s: float = 5.0) -> bool:
        """End every request as cancelled and free the engine.

        Returns:
            False if the engine did not end in time; nothing reaches the sink from then on.
        """
        self._is_closed = True
        ended = self._host.close(timeout_s)
        self._sink = None
        return ended

    def _deliver(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._running.discard(event.request)
        if (sink := self._sink) is not None:
            sink(event)
