"""Text on its way out of the engine's process: a fast reply's tokens travel some at a time.

A message between two processes costs both of them as much as a small model's token (pickling, a
system call, a queued signal, a slot), and nobody reads 300 pieces a second. So text that follows
within 50 ms of the last message waits for more; a slower reply's tokens all go at once. Any other
event takes what waits along, before itself: order and content are as if nothing had waited.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from engine.contract import Event, TextDelta

_APART_S = 0.05


class Gathering:
    """Passes events on, neighbouring text of one request and channel as one.

    Args:
        send: receives the events, on the thread that calls ``take``.
        clock: seconds that only grow.
    """

    def __init__(
        self, send: Callable[[Event], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._send = send
        self._clock = clock
        self._waiting: TextDelta | None = None
        self._sent_at = float("-inf")

    def take(self, event: Event) -> None:
        """Pass an event on, now or with the next."""
        if not isinstance(event, TextDelta):
            self._flush()
            self._send(event)
            return
        if (waiting := self._waiting) is not None:
            if (waiting.request, waiting.channel) == (event.request, event.channel):
                text, tokens = waiting.text + event.text, waiting.tokens + event.tokens
                event = replace(event, text=text, tokens=tokens)
            else:
                self._flush()
        self._waiting = event
        if self._clock() - self._sent_at >= _APART_S:
            self._flush()

    def _flush(self) -> None:
        if self._waiting is not None:
            self._send(self._waiting)
            self._waiting = None
            self._sent_at = self._clock()
