"""Connections to one server: an event loop on a thread, asked step by step by the engine's thread.

What runs there can be ended at any moment, in the middle of a connection or of a name's lookup; the
engine's thread never waits for longer than a step.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import httpx

from engine.library.servers.access import Access

Ask = Callable[[httpx.AsyncClient], AsyncIterator[dict[str, Any]]]

_END_S = 2.0


@dataclass(slots=True, eq=False)
class Talk:
    """One answer on its way."""

    objects: SimpleQueue[dict[str, Any]] = field(default_factory=SimpleQueue)
    future: Future[None] | None = None

    def take(self, wait_s: float) -> dict[str, Any] | None:
        """The next object, or None when none came in so many seconds."""
        try:
            return self.objects.get(timeout=wait_s)
        except Empty:
            return None

    @property
    def is_over(self) -> bool:
        """Whether nothing follows; ``end`` says how it went."""
        return self.future is not None and self.future.done() and self.objects.empty()

    def end(self) -> None:
        """Raise what ended the answer, if anything did."""
        if self.future is not None:
            self.future.result()

    def hang_up(self) -> None:
        """Close the connection."""
        if self.future is not None:
            self.future.cancel()


class Line:
    """The connections to a server, kept open between two questions.

    Args:
        access: where it is.

    Raises:
        EngineError: as ``Access.client_settings``.
    """

    def __init__(self, access: Access) -> None:
        self._client = httpx.AsyncClient(**access.client_settings(None))
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="inkstone-remote", daemon=True)
        self._thread.start()

    def ask(self, ask: Ask) -> Talk:
        """Begin a question; its objects are taken from the talk."""
        talk = Talk()

        async def run() -> None:
            async for each in ask(self._client):
                talk.objects.put(each)

        talk.future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        return talk

    def close(self) -> None:
        """End everything that runs, and the thread."""
        if self._loop.is_closed():
            return
        ended = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        with suppress(TimeoutError):
            ended.result(_END_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_S)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._client.aclose()
        await self._loop.shutdown_asyncgens()
