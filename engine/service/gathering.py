"""Events on their way out of the engine's process: a fast reply's tokens travel some at a time.

A message between two processes costs both of them as much as a small model's token (pickling, a
system call, a thread that wakes on a core where the engine computes), and nobody reads 300 pieces
a second. So text and figures of a fast reply wait for each other, for 100 ms at most, and travel as
one message. Text waits only while more of it is likely to come in that time: a slower reply's
tokens all go at once, and so does the first of any reply. Any other event takes what waits along,
before itself: order and content are as if nothing had waited.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from engine.contract import Channel, Event, Failed, Finished, Metrics, TextDelta

_APART_S = 0.1


class Gathering:
    """Passes events on, in messages of one or more.

    Args:
        send: receives the events of a message, on the thread that calls ``take``.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        send: Callable[[tuple[Event, ...]], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._send = send
        self._clock = clock
        self._waiting: list[Event] = []
        self._begun: set[int] = set()  # requests of which text was sent
        self._sent_at = self._came_at = float("-inf")

    def take(self, event: Event) -> None:
        """Pass an event on, now or with the next."""
        now = self._clock()
        expected, self._came_at = 2 * now - self._came_at, now  # when the next comes at this pace
        self._waiting.append(event)
        if not self._may_wait(event) or expected - self._sent_at > _APART_S:
            self._sent_at = now
            waiting, self._waiting = self._waiting, []
            self._send(tuple(_joined(waiting)))

    def _may_wait(self, event: Event) -> bool:
        if isinstance(event, TextDelta):
            is_first = event.request not in self._begun
            self._begun.add(event.request)
            return not is_first
        if isinstance(event, Finished | Failed):
            self._begun.discard(event.request)
        return isinstance(event, Metrics)


def _joined(events: Sequence[Event]) -> Iterator[Event]:
    """Yield events, neighbouring text of one request and channel as one."""
    for key, group in groupby(events, _channel):
        if key is None:
            yield from group
            continue
        texts = [event for event in group if isinstance(event, TextDelta)]
        if len(texts) == 1:
            yield texts[0]
        else:
            tokens = tuple(token for each in texts for token in each.tokens)
            yield replace(texts[0], text="".join(each.text for each in texts), tokens=tokens)


def _channel(event: Event) -> tuple[int, Channel] | None:
    return (event.request, event.channel) if isinstance(event, TextDelta) else None
