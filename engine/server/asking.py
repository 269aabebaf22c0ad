"""The way from the server's event loop to the engine and back.

The engine may belong to a window, which numbers its requests upwards from 1; the server's numbers
are negative, so whoever shares an engine never meets another's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
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

_LOAD_S = 300.0  # the longest that a request waits for its model

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
        wake: asks for a model that rests, from any thread.
    """

    def __init__(
        self,
        service: Asked,
        most_open: int,
        cached_replies: int = 0,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self._service, self._wake = service, wake
        self._most = most_open
        self._last = 0
        self._open: dict[int, asyncio.Queue[Event]] = {}
        self._leaving: set[int] = set()  # nobody listens any more; the engine has not ended them
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loaded: Loaded | None = None
        self._last_loaded: Loaded | None = None
        self._is_coming = False
        self._told = asyncio.Event()  # of a model, or that none comes
        self.cache = ReplyCache(cached_replies)

    @property
    def loaded(self) -> Loaded | None:
        """The model that answers, if there is one."""
        return self._loaded

    @property
    def known(self) -> Loaded | None:
        """The model that answers, or would if it were woken."""
        return self._loaded or (self._last_loaded if self._is_coming else None)

    def set_model(self, loaded: Loaded | None, *, is_coming: bool = False) -> None:
        """Tell which model there is, from any thread; replies of another are forgotten.

        Args:
            loaded: the model.
            is_coming: whether one loads, or rests and comes when it is needed.
        """
        self._loaded, self._is_coming = loaded, is_coming
        self._last_loaded = loaded or self._last_loaded
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and nobody waits
                loop.call_soon_threadsafe(self._told.set)

    async def wait_for_model(self) -> None:
        """Wait for a model that comes, woken if it rests; return at once where none does."""
        if self._loaded is None and self._is_coming and self._wake is not None:
            self._wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOAD_S):
                while self._loaded is None and self._is_coming:
                    self._told.clear()
                    await self._told.wait()

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
        self._open.clear()

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
                yield places[event.request], event
        finally:
            for request in waiting:
                if self._open.pop(request, None) is not None:
                    self._leaving.add(request)
                    self._service.cancel(request)

    def _route(self, event: Event) -> None:
        queue = self._open.get(event.request)
        if isinstance(event, Finished | Failed):  # its room is free, whether anybody reads it
            self._leaving.discard(event.request)
            self._open.pop(event.request, None)
        if queue is not None:
            queue.put_nowait(event)
