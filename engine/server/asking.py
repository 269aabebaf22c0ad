"""The way from the server's event loop to the engine and back.

The engine may belong to a window, which numbers its requests upwards from 1; the server's numbers
are negative, so whoever shares an engine never meets another's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from engine.contract import (
    Command,
    Complete,
    CountTokens,
    Event,
    Failed,
    Finished,
    FinishReason,
    Generate,
    Loaded,
)
from engine.server.errors import ApiError
from engine.server.reply_cache import ReplyCache

Question = Generate | Complete | CountTokens


class Asked(Protocol):
    """What the server needs of ``engine.service.EngineService``."""

    def submit(self, command: Command) -> None:
        """Start a command; never blocks."""
        ...

    def cancel(self, request: int) -> None:
        """End a request soon; never blocks."""
        ...


class Asking:
    """Questions to the engine from one event loop.

    Args:
        service: the engine.
        most_open: requests at a time.
        cached_replies: see ``ServerSettings``.
    """

    def __init__(self, service: Asked, most_open: int, cached_replies: int = 0) -> None:
        self._service = service
        self._most = most_open
        self._last = 0
        self._open: dict[int, asyncio.Queue[Event]] = {}
        self._leaving: set[int] = set()  # nobody listens any more; the engine has not ended them
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loaded: Loaded | None = None
        self.cache = ReplyCache(cached_replies)

    @property
    def loaded(self) -> Loaded | None:
        """The model that answers, if there is one."""
        return self._loaded

    def set_model(self, loaded: Loaded | None) -> None:
        """Tell which model there is, from any thread; replies of another are forgotten."""
        self._loaded = loaded

    def begin(self) -> None:
        """Take the running event loop for one's own."""
        self._loop = asyncio.get_running_loop()

    def hear(self, event: Event) -> None:
        """Take any event of the engine, on any thread; what is not ours is left alone."""
        loop = self._loop
        if event.request < 0 and loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(self._route, event)

    def end_all(self) -> None:
        """End what is open, as if the model were gone; on the loop."""
        for request, queue in self._open.items():
            self._service.cancel(request)
            queue.put_nowait(Finished(request, FinishReason.CANCELLED))

    def admit(self, requests: int) -> None:
        """Check that there is room for so many more.

        Raises:
            ApiError: 429.
        """
        taken = len(self._open) + len(self._leaving)
        if taken + requests > self._most:
            raise ApiError(
                429,
                f"{taken} requests are open already, and no more than {self._most} may be.",
                "rate_limit_exceeded",
            )

    async def ask(self, commands: Sequence[Question]) -> AsyncGenerator[tuple[int, Event], None]:
        """Yield the events of all commands as they come, each with its command's place.

        Leaving the generator early cancels what has not ended.

        Raises:
            ApiError: 429.
        """
        self.admit(len(commands))
        queue: asyncio.Queue[Event] = asyncio.Queue()
        places: dict[int, int] = {}
        for place, command in enumerate(commands):
            self._last -= 1
            places[self._last] = place
            self._open[self._last] = queue
            self._service.submit(replace(command, request=self._last))
        waiting = set(places)
        try:
            while waiting:
                event = await queue.get()
                if isinstance(event, Finished | Failed):
                    waiting.discard(event.request)
                    self._open.pop(event.request, None)
                yield places[event.request], event
        finally:
            for request in waiting:
                if self._open.pop(request, None) is not None:
                    self._leaving.add(request)
                    self._service.cancel(request)

    def _route(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._leaving.discard(event.request)
        if (queue := self._open.get(event.request)) is not None:
            queue.put_nowait(event)
