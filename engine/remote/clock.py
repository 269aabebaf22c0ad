"""Figures of a reply that another program makes, measured here: what a person waits for.

The server's own figures would leave out the network. A proxy that holds a whole answer back and
gives it out at once has no speed that could be measured: None, not thousands of tokens a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

from engine.contract import Timings

_METRICS_EVERY_S = 0.25
_RECENT_S = 3.0
_LEAST_ARRIVALS = 4  # apart in time; fewer say nothing of a speed
_APART_S = 0.001


class RemoteClock:
    """The clock of one request; it starts when it is made.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._begin = clock()
        self._first: float | None = None
        self._last = self._begin
        self._arrivals = 0
        self._shown = float("-inf")
        self._recent: deque[tuple[float, int]] = deque()  # (when, tokens)

    @property
    def time_to_first_token_s(self) -> float:
        """From submission to the first text; 0 before it."""
        return 0.0 if self._first is None else self._first - self._begin

    def arrived(self, tokens: int) -> None:
        """Text of about so many tokens came."""
        now = self._clock()
        if self._first is None:
            self._first = now
        if now - self._last >= _APART_S:
            self._arrivals += 1
        self._last = now
        self._recent.append((now, tokens))
        while now - self._recent[0][0] > _RECENT_S:
            self._recent.popleft()

    def tokens_per_second(self) -> float | None:
        """Speed over the last seconds; None until there is enough to say anything."""
        if self._arrivals < _LEAST_ARRIVALS or len(self._recent) < 2:
            return None
        seconds = self._recent[-1][0] - self._recent[0][0]
        tokens = sum(tokens for _, tokens in self._recent) - self._recent[0][1]
        return tokens / seconds if seconds > 0 else None

    def is_due(self) -> bool:
        """Whether figures should be shown again; a few times a second."""
        if self._first is None or self._last - self._shown < _METRICS_EVERY_S:
            return False
        self._shown = self._last
        return True

    def timings(self, tokens: int) -> Timings:
        """The whole request's figures, for so many tokens; the wait for the first is prefill."""
        waited = self.time_to_first_token_s
        decode_s = self._last - self._first if self._first is not None else 0.0
        is_speed = tokens >= 2 and decode_s > 0 and self._arrivals >= _LEAST_ARRIVALS
        return Timings(
            prefill_s=waited or self._clock() - self._begin,
            decode_s=decode_s,
            time_to_first_token_s=waited,
            tokens_per_second=(tokens - 1) / decode_s if is_speed else None,
            beside_server=True,
        )
