"""A reply that is being written: its text as it grows, whether or not it can be seen."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.chat.turn import Turn
from app.rendering.reader import Reader
from app.rendering.stream import BlockStream
from engine.contract import Channel


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
        self.answer.push(turn.content)
        self.thought.push(turn.reasoning)

    def push(self, channel: Channel, text: str) -> None:
        """Take new text."""
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
        return not (self.answer.has_text or self.thought.has_text or self.calls)

    def _stop_thinking(self) -> None:
        self._thought_s = self.thought_s
        self._thinking_since = None
