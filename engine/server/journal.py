"""The log of requests: who asked is not in it, nor what."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Event, Finished
from engine.server.errors import CLIENT_GONE
from engine.server.records import RequestRecord, figures_of

Told = Callable[[RequestRecord], None]


@dataclass(slots=True)
class Entry:
    """A request while it is answered."""

    path: str
    at: float = field(default_factory=time.time)
    begin: float = field(default_factory=time.perf_counter)
    status: int = 200
    is_streamed: bool = False
    is_cached: bool = False
    ends: list[Finished] = field(default_factory=list)

    def note(self, event: Event) -> None:
        """Keep the figures of a choice that ended."""
        if isinstance(event, Finished):
            self.ends.append(event)

    def record(self) -> RequestRecord:
        """What is told of it."""
        figures: dict[str, Any] = figures_of(self.ends)
        return RequestRecord(
            self.at,
            self.path,
            self.status,
            time.perf_counter() - self.begin,
            self.is_streamed,
            self.is_cached,
            **figures,
        )


async def told_at_end(
    frames: AsyncGenerator[bytes, None], entry: Entry, told: Told
) -> AsyncGenerator[bytes, None]:
    """The frames of a stream; when it ends, however it does, the log is told."""
    status = CLIENT_GONE
    try:
        async with aclosing(frames):
            async for frame in frames:
                yield frame
        status = entry.status
    finally:
        entry.status = status
        told(entry.record())
