"""Honest figures of one reply: where its time went, and how fast it is being written.

Three rules (case I9): the prompt's time never counts as writing; time in which the reply was not
being computed (it waited for room, nobody asked for the next step) counts as nothing; and fewer
than two tokens have no speed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter

from engine.contract import Timings

PAUSE_S = 0.25
"""A longer gap between two steps is a pause, not slowness."""

_RECENT_S = 3.0
_LEAST_RECENT_TOKENS = 4
_METRICS_EVERY_S = 0.25


class Meter:
    """The clock of one request; it starts when it is made.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._submitted = clock()
        self._tokenized: float | None = None
        self._first_step: float | None = None
        self._first_token: float | None = None
        self._last_step: float = self._submitted
        self._shown = float("-inf")
        self._decode_s = 0.0
        self._decoded = 0
        self._drew_s = 0.0
        self._spelled_s = 0.0
        self._recent: deque[tuple[float, int]] = deque()  # (seconds, tokens) of decode steps
        self._recent_s = 0.0
        self._recent_tokens = 0

    @property
    def time_to_first_token_s(self) -> float:
        """From submission to the first token; 0 before it."""
        return 0.0 if self._first_token is None else self._first_token - self._submitted

    def tokenized(self) -> None:
        """The prompt is made; from here the request waits for its first step."""
        self._tokenized = self._clock()

    def started(self) -> None:
        """A step that includes this request begins; only the first one counts."""
        if self._first_step is None:
            self._first_step = self._clock()

    def stepped(self, step_s: float, tokens: int) -> None:
        """A step ended that took ``step_s`` seconds and brought this request ``tokens`` tokens."""
        now = self._clock()
        elapsed, self._last_step = now - self._last_step, now
        if tokens == 0:
            return
        if self._first_token is None:
            self._first_token = now
            return
        seconds = elapsed if elapsed - step_s < PAUSE_S else step_s
        self._decode_s += seconds
        self._decoded += tokens
        self._remember(seconds, tokens)

    def drew(self, seconds: float) -> None:
        """Tokens were drawn and spelled, both together in so many seconds."""
        self._drew_s += seconds

    def spelled(self, seconds: float) -> None:
        """Of that, so many seconds went into turning ids into text."""
        self._spelled_s += seconds

    def _remember(self, seconds: float, tokens: int) -> None:
        self._recent.append((seconds, tokens))
        self._recent_s += seconds
        self._recent_tokens += tokens
        while self._recent_s - self._recent[0][0] > _RECENT_S:
            old_seconds, old_tokens = self._recent.popleft()
            self._recent_s -= old_seconds
            self._recent_tokens -= old_tokens

    def tokens_per_second(self) -> float | None:
        """Speed over the last seconds of decode; None until there are enough tokens."""
        if self._recent_tokens < _LEAST_RECENT_TOKENS or self._recent_s <= 0:
            return None
        return self._recent_tokens / self._recent_s

    def is_due(self) -> bool:
        """Whether figures should be shown again; a few times a second."""
        now = self._clock()
        if self._first_token is None or now - self._shown < _METRICS_EVERY_S:
            return False
        self._shown = now
        return True

    def timings(self, prefilled_tokens: int) -> Timings:
        """The whole request's figures.

        Args:
            prefilled_tokens: prompt tokens that were computed, the reused ones left out.
        """
        end = self._clock()
        tokenized = self._tokenized or end
        first_step = self._first_step or end
        prefill_s = (self._first_token or end) - first_step
        has_speed = self._first_token is not None and prefilled_tokens >= 2 and prefill_s > 0
        return Timings(
            queue_s=max(first_step - tokenized, 0.0),
            tokenize_s=tokenized - self._submitted,
            prefill_s=prefill_s,
            decode_s=self._decode_s,
            time_to_first_token_s=self.time_to_first_token_s,
            prefill_tokens_per_second=prefilled_tokens / prefill_s if has_speed else None,
            tokens_per_second=self._decoded / self._decode_s if self._decode_s > 0 else None,
            sample_s=max(self._drew_s - self._spelled_s, 0.0),
            detokenize_s=self._spelled_s,
        )
