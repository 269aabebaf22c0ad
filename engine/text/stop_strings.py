"""Stop strings: the second ring of a reply.

A reply ends before the first of them. Text that could still become one is held back, and let go
as soon as it cannot, or when the reply ends otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence


class StopStrings:
    """Watches text that comes in pieces.

    Attributes:
        met: the stop string that ended the reply; None so far.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._prefixes = frozenset(
            stop[:length] for stop in self._stops for length in range(1, len(stop))
        )
        self._longest = max(map(len, self._stops), default=0)
        self._held = ""
        self.met: str | None = None

    def push(self, text: str) -> str:
        """The text that is certain now; empty for ever once a stop string is met."""
        if self.met is not None:
            return ""
        self._held += text
        ends = [
            (start + len(stop), start, stop)
            for stop in self._stops
            if (start := self._held.find(stop)) >= 0
        ]
        if ends:  # the first to be complete, so that it does not matter how the text was cut
            _, start, self.met = min(ends)
            certain, self._held = self._held[:start], ""
            return certain
        return self._let_go()

    def finish(self) -> str:
        """What was held back, now that nothing follows."""
        held, self._held = self._held, ""
        return held

    def _let_go(self) -> str:
        """Everything but the longest end that begins a stop string."""
        for length in range(min(self._longest - 1, len(self._held)), 0, -1):
            if self._held[-length:] in self._prefixes:
                certain, self._held = self._held[:-length], self._held[-length:]
                return certain
        return self.finish()
