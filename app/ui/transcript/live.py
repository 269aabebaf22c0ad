"""A reply that is being written: its text as it grows, whether or not it can be seen."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from app.chat.turn import Turn
from app.rendering.reader import Reader
from app.rendering.stream import BlockStream
from engine.contract import Channel

_CHUNK = 2_000  # characters that are read in one go
_SLICE_S = 0.005  # of a frame for reading what came in a burst


class Live:
    """The growing channels of one reply, and how long the model has been thinking.

    Args:
        turn: the reply as it is so far.
        reader: reads Markdown.
        clock: seconds that only grow.
    """

    def __init__(
        self, turn: Turn, reader: Reader, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.answer = BlockStream(reader)
        self.thought = BlockStream(reader)
        self.calls = turn.tool_calls
        self._clock = clock
        self._thinking_since: float | None = None
        self._thought_s = 0.0
        self._backlog: deque[tuple[Channel, str]] = deque()
        self.has_come = False  # anything new, where a reply goes on from what is there
        self.answer.push(turn.content)
        self.thought.push(turn.reasoning)

    def push(self, channel: Channel, text: str) -> None:
        """Take new text; what comes in a burst is read by and by."""
        self.has_come = True
        for start in range(0, len(text), _CHUNK):
            self._backlog.append((channel, text[start : start + _CHUNK]))

    def catch_up(self, seconds: float = _SLICE_S) -> bool:
        """Read what has come, for so long; True with more of it left."""
        until = self._clock() + seconds
        while self._backlog:
            size = 0
            while self._backlog and size < _CHUNK:  # small pieces are read together
                channel, text = self._backlog.popleft()
                self._take(channel, text)
                size += len(text)
            if self._backlog:
                self.answer.read_on()
                self.thought.read_on()
                if self._clock() > until:
                    return True
        return False

    def _take(self, channel: Channel, text: str) -> None:
        match channel:
            case Channel.ANSWER:
                self._stop_thinking()
                self.answer.push(text)
            case Channel.REASONING:
                if self._thinking_since is None:
                    self._thinking_since = self._clock()
                self.thought.push(text)
            case Channel.TOOL_CALL:
                self._stop_thinking()
                self.calls += text

    @property
    def is_thinking(self) -> bool:
        """Whether the newest text is reasoning."""
        return self._thinking_since is not None

    @property
    def thought_s(self) -> float:
        """Seconds of thinking as the window saw it; the engine's figure comes at the end."""
        running = 0.0 if self._thinking_since is None else self._clock() - self._thinking_since
        return self._thought_s + running

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come yet."""
        return not (self._backlog or self.answer.has_text or self.thought.has_text or self.calls)

    def _stop_thinking(self) -> None:
        self._thought_s = self.thought_s
        self._thinking_since = None
