"""A runner on a thread of this process."""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

from engine.contract import Command, CommandRunner, Event, Failed, Finished
from engine.service.request_loop import Request, RequestLoop


class ThreadHost:
    """The request loop on a thread, with an inbox. No method blocks, except ``close``.

    Args:
        deliver: receives every event, on the runner's thread.
        make_runner: makes the runner, on that thread, when the first command arrives.
    """

    def __init__(
        self, deliver: Callable[[Event], None], make_runner: Callable[[], CommandRunner]
    ) -> None:
        self._forward = deliver
        self._loop = RequestLoop(self._deliver, make_runner)
        self._inbox: SimpleQueue[Request | None] = SimpleQueue()
        # Written by both threads, one atomic dict operation at a time.
        self._requests: dict[int, Request] = {}
        self._thread: Thread | None = None

    def submit(self, command: Command) -> None:
        """Queue a command; the first one starts the thread."""
        request = Request(command)
        self._requests[request.number] = request
        if self._thread is None:
            # A daemon: a runner that hangs in native code must not keep the process alive.
            self._thread = Thread(target=self._main, name="inkstone-engine", daemon=True)
            self._thread.start()
        self._inbox.put(request)

    def cancel(self, request: int) -> None:
        """Mark a request as cancelled."""
        if (found := self._requests.get(request)) is not None:
            found.cancelled = True

    def close(self, timeout_s: float) -> bool:
        """End everything as cancelled; False if the thread did not end in time."""
        if self._thread is None:
            return True
        for request in tuple(self._requests.values()):
            request.cancelled = True
        self._inbox.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _main(self) -> None:
        busy = False
        while self._take_requests(wait=not busy):
            busy = self._loop.advance()
        self._loop.close()

    def _take_requests(self, *, wait: bool) -> bool:
        """Move what was submitted into the loop; False when the host is to close."""
        while wait or not self._inbox.empty():
            request = self._inbox.get()
            if request is None:
                return False
            self._loop.take(request)
            wait = False
        return True

    def _deliver(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._requests.pop(event.request, None)
        self._forward(event)
